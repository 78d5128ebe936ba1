import WireFormats

/// Where the payload of a push lies.
struct PushPayload {
  let storage: [UInt8]
  let range: Range<Int>
  /// `aps.event`, if the payload has been read; otherwise it is read when it is asked for.
  var event: String?
}

/// The `event` of a push's payload, as far as faults have asked for it: a place in the list of the events that any
/// fault asks for.
///
/// Reading JSON costs a fifteenth of a push, so it is first looked whether the payload has such a word at that key at
/// all.
struct PayloadEvent {
  private enum Known {
    case nothing
    /// One of these at the most, by the bits of their places.
    case candidates(UInt64)
    case event(Int?)
  }

  private static let key = Array(#""event""#.utf8)
  /// Its v: no letter is rarer in payloads.
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

  /// The words that stand behind some key of that name. With an escape a key or a word may be written in other letters,
  /// and then it may be any.
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
