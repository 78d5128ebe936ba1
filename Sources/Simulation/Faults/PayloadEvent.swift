import WireFormats

/// The range of a push's payload.
struct PushPayload {
  let storage: [UInt8]
  let range: Range<Int>
  /// `aps.event`, if the payload has been parsed; otherwise it is parsed on demand.
  var event: String?
}

/// The `event` of a push's payload, as far as faults need it: an index into the list of all events that faults use.
///
/// Parsing JSON costs a fifteenth of a push, so a cheap search first checks whether the payload has one of these words
/// after that key at all.
struct PayloadEvent {
  private enum Known {
    case nothing
    /// At most one of these, by the bits of their indices.
    case candidates(UInt64)
    case event(Int?)
  }

  private static let key = Array(#""event""#.utf8)
  /// The index of the letter v in the key: the rarest of its letters in payloads.
  private static let rare = 2

  private var known = Known.nothing

  mutating func isEvent(_ place: Int, of words: [[UInt8]], _ payload: PushPayload) -> Bool {
    if case .nothing = known, let event = payload.event {
      known = .event(words.firstIndex { $0.elementsEqual(event.utf8) })
    }
    if case .nothing = known { known = .candidates(Self.candidates(words, payload)) }
    if case .candidates(let mask) = known {
      if place < 64, mask >> UInt64(place) & 1 == 0 { return false }
      known = .event(Self.read(words, payload))
    }
    if case .event(let event) = known { return event == place }
    return false
  }

  private static func read(_ words: [[UInt8]], _ payload: PushPayload) -> Int? {
    let found = try? JSONNode.read(payload.storage.span, payload.range) { $0["aps"]?["event"]?.whole.string }
    guard let word = found ?? nil else { return nil }
    return words.firstIndex { $0.elementsEqual(word.utf8) }
  }

  /// The words found after a key of that name. With an escape, a key or a word may be spelled differently, so any word
  /// is possible.
  private static func candidates(_ words: [[UInt8]], _ payload: PushPayload) -> UInt64 {
    let (storage, end) = (payload.storage, payload.range.upperBound)
    if ByteRanges.place(of: 0x5C, in: storage, payload.range) != nil { return .max }
    var mask: UInt64 = 0
    var start = payload.range.lowerBound
    while let found = ByteRanges.place(of: key, by: rare, in: storage, start..<end) {
      start = found + key.count
      var value = start
      while value < end, [0x20, 0x09, 0x0A, 0x0D, 0x3A].contains(storage[value]) { value += 1 }
      guard value < end, storage[value] == 0x22 else { continue }
      value += 1
      for place in words.indices.prefix(64) {
        let close = value + words[place].count
        if close < end, storage[close] == 0x22, storage[value..<close].elementsEqual(words[place]) {
          mask |= 1 << UInt64(place)
        }
      }
    }
    return mask
  }
}
