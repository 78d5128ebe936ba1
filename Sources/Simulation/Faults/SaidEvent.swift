import WireFormats

/// Where the payload of a push lies.
struct PushPayload {
  let storage: [UInt8]
  let range: Range<Int>
}

/// The `event` of a push's payload, as far as faults have asked for it.
///
/// Reading JSON costs a twentieth of a push, so it is first looked whether the payload has such a word at all.
struct SaidEvent {
  /// A bit for each word of the list that stands in the payload between quotes; nil before that was looked up.
  private var mentioned: UInt64?
  private var read: String??

  /// False where the event cannot be the word of that place.
  mutating func mayBe(_ place: Int, of words: [String], _ payload: PushPayload) -> Bool {
    guard place < 64 else { return true }
    let mask = mentioned ?? Self.mentions(words, payload)
    mentioned = mask
    return mask >> UInt64(place) & 1 == 1
  }

  mutating func event(_ payload: PushPayload) -> String? {
    if let read { return read }
    let found = try? JSONNode.read(payload.storage.span, payload.range) { $0["aps"]?["event"]?.whole.string }
    read = .some(found ?? nil)
    return found ?? nil
  }

  private static func mentions(_ words: [String], _ payload: PushPayload) -> UInt64 {
    let (storage, end) = (payload.storage, payload.range.upperBound)
    // With an escape a word may be written in other letters.
    if Stretch.place(of: 0x5C, in: storage, payload.range) != nil { return .max }
    var mask: UInt64 = 0
    var start = payload.range.lowerBound
    while let quote = Stretch.place(of: 0x22, in: storage, start..<end) {
      start = quote + 1
      for (place, word) in words.prefix(64).enumerated() where word.utf8.count < end - start {
        if storage[start + word.utf8.count] == 0x22, storage[start..<start + word.utf8.count].elementsEqual(word.utf8) {
          mask |= 1 << UInt64(place)
        }
      }
    }
    return mask
  }
}
