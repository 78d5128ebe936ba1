import WireFormats

/// Where the payload of a push lies.
struct PushPayload {
  let storage: [UInt8]
  let range: Range<Int>
  /// `aps.event`, if the payload has been read; otherwise it is read when it is asked for.
  var event: String?
}

/// The `event` of a push's payload, as far as somebody has asked for it.
///
/// Reading JSON costs a fifteenth of a push, so it is first looked what stands behind a key of that name.
struct PayloadEvent {
  private enum Known {
    case nothing
    /// One key of that name, and the word behind it.
    case candidate(Range<Int>)
    case event([UInt8]?)
  }

  private static let key = Array(#""event""#.utf8)
  /// Its v: no letter is rarer in payloads.
  private static let rare = 2

  private var known = Known.nothing

  /// - Parameter word: the same name, in bytes.
  mutating func isEvent(_ name: String, _ word: [UInt8], _ payload: PushPayload) -> Bool {
    if let event = payload.event { return event == name }
    if case .nothing = known { known = Self.look(payload) }
    if case .candidate(let range) = known {
      guard payload.storage[range].elementsEqual(word) else { return false }
      known = .event(Self.read(payload))
    }
    if case .event(let event?) = known { return event == word }
    return false
  }

  private static func read(_ payload: PushPayload) -> [UInt8]? {
    let found = try? JSONNode.read(payload.storage.span, payload.range) { $0["aps"]?["event"]?.whole.string }
    return (found ?? nil).map { Array($0.utf8) }
  }

  /// With an escape a key or a word may be written in other letters, and with two keys only one is meant: then the JSON
  /// is read.
  private static func look(_ payload: PushPayload) -> Known {
    let (storage, end) = (payload.storage, payload.range.upperBound)
    if ByteRanges.place(of: 0x5C, in: storage, payload.range) != nil { return .event(read(payload)) }
    var start = payload.range.lowerBound
    guard let found = ByteRanges.place(of: key, by: rare, in: storage, start..<end) else { return .event(nil) }
    start = found + key.count
    if ByteRanges.place(of: key, by: rare, in: storage, start..<end) != nil { return .event(read(payload)) }
    while start < end, [0x20, 0x09, 0x0A, 0x0D, 0x3A].contains(storage[start]) { start += 1 }
    guard start < end, storage[start] == 0x22 else { return .event(nil) }
    start += 1
    guard let close = storage[start..<end].firstIndex(of: 0x22) else { return .event(nil) }
    return .candidate(start..<close)
  }
}
