import APNs
import WireFormats

/// Every push is looked at, so what is remembered of it is hashes.
extension Auditor {
  /// Device token and provider token, each by its hash: every push is looked at, so no text is made of them.
  static func marks(of record: PushRecord) -> (token: UInt64, authorization: UInt64?) {
    let push = record.push
    let storage = push.request.storage
    let token = push.token(to: record.address).map { tokenHash($0.span, 0..<$0.count) }
    return (token ?? 0, push.authorizationRange.map { hash(storage.span, $0) })
  }

  /// As apps tell it: the last part of the path, in small letters.
  static func tokenHash(_ bytes: Span<UInt8>, _ path: Range<Int>) -> UInt64 {
    var start = path.upperBound
    var hasCapitals = false
    while start > path.lowerBound, bytes[start - 1] != UInt8(ascii: "/") {
      start -= 1
      hasCapitals = hasCapitals || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[start])
    }
    guard hasCapitals else { return hash(bytes, start..<path.upperBound) }
    return hash((start..<path.upperBound).map { bytes[$0] | 0x20 })
  }

  /// Of a token as apps tell it, or of any other bytes.
  static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    let list = Array(bytes)
    return hash(list.span, list.indices)
  }

  /// A word at a time. Who makes two texts of one hash fools only the findings about his own backend.
  static func hash(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
    var state = UInt64(range.count)
    func mix(_ word: UInt64) { state = ((state << 5 | state >> 59) ^ word) &* 0x9E37_79B9_7F4A_7C15 }
    var offset = range.lowerBound
    while offset + 8 <= min(range.upperBound, bytes.count) {
      mix(bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    for index in offset..<max(offset, range.upperBound) { mix(UInt64(bytes[index])) }
    return state ^ state >> 29
  }

  static func payload(_ record: PushRecord) -> UInt64 {
    let storage = record.push.request.storage
    return hash(storage.span, record.push.payloadRange)
  }

  /// Of a payload without the number behind `"timestamp"`.
  static func contentHash(_ record: PushRecord) -> UInt64 {
    let storage = record.push.request.storage
    let (bytes, range) = (storage.span, record.push.payloadRange)
    let key: StaticString = "\"timestamp\""
    var state: UInt64 = 0xCBF2_9CE4_8422_2325
    var index = range.lowerBound
    while index < range.upperBound {
      let end = index + key.utf8CodeUnitCount
      if bytes[index] == UInt8(ascii: "\""), end < range.upperBound, bytes.holds(index..<end, key) {
        index = end
        while index < range.upperBound, isOfNumber(bytes[index]) { index += 1 }
      } else {
        state = (state ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3
        index += 1
      }
    }
    return state
  }

  /// A digit or what else may stand in a number, or between it and its key.
  private static func isOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
      UInt8(ascii: ":"), UInt8(ascii: " "):
      true
    default: false
    }
  }
}

extension PushRecord {
  /// The same for the same payload, in every process.
  package var payloadHash: UInt64 { Auditor.payload(self) }
}
