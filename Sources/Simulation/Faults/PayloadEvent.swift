import WireFormats

/// The `event` of a push's payload, as far as faults need it: an index into the list of all events that faults use.
///
/// Parsing JSON costs a fifteenth of a push, so a cheap search first checks whether the payload has one of these words
/// after that key at all.
struct PayloadEvent {
  private enum Known {
    case nothing
    /// The only key of that name, and the word after it.
    case candidate(Range<Int>)
    case event([UInt8]?)
  }

  private static let key = Array(#""event""#.utf8)
  /// The index of the letter v in the key: the rarest of its letters in payloads.
  private static let rare = 2

  private var known = Known.nothing

  /// - Parameter word: the same name as bytes.
  mutating func isEvent(_ name: String, _ word: [UInt8], in storage: [UInt8], at payload: Range<Int>) -> Bool {
    if case .nothing = known { known = Self.look(storage, payload) }
    if case .candidate(let range) = known {
      guard storage[range].elementsEqual(word) else { return false }
      known = .event(Self.read(storage, payload))
    }
    if case .event(let event?) = known { return event == word }
    return false
  }

  private static func read(_ storage: [UInt8], _ payload: Range<Int>) -> [UInt8]? {
    let found = try? JSONNode.read(storage.span, in: payload) { $0["aps"]?["event"]?.whole.string }
    return (found ?? nil).map { Array($0.utf8) }
  }

  /// With an escape, a key or a word may be spelled differently, and of two keys only one counts: then the JSON is
  /// parsed.
  private static func look(_ storage: [UInt8], _ payload: Range<Int>) -> Known {
    let end = payload.upperBound
    if ByteRanges.place(of: 0x5C, in: storage, payload) != nil { return .event(read(storage, payload)) }
    var start = payload.lowerBound
    guard let found = ByteRanges.place(of: key, by: rare, in: storage, start..<end) else { return .event(nil) }
    start = found + key.count
    if ByteRanges.place(of: key, by: rare, in: storage, start..<end) != nil { return .event(read(storage, payload)) }
    while start < end, [0x20, 0x09, 0x0A, 0x0D, 0x3A].contains(storage[start]) { start += 1 }
    guard start < end, storage[start] == 0x22 else { return .event(nil) }
    start += 1
    guard let close = storage[start..<end].firstIndex(of: 0x22) else { return .event(nil) }
    return .candidate(start..<close)
  }
}
