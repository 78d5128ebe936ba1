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
    if isPlain(bytes, path) { return hash(bytes, path) }
    var start = path.upperBound
    var hasCapitals = false
    while start > path.lowerBound, bytes[start - 1] != UInt8(ascii: "/") {
      start -= 1
      hasCapitals = hasCapitals || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[start])
    }
    guard hasCapitals else { return hash(bytes, start..<path.upperBound) }
    return hash((start..<path.upperBound).map { bytes[$0] | 0x20 })
  }

  /// Whether there are neither slashes nor capitals, as in nearly all tokens. A word at a time.
  private static func isPlain(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    guard range.count.isMultiple(of: 8), range.upperBound <= bytes.count else { return false }
    let each: UInt64 = 0x0101_0101_0101_0101
    var others: UInt64 = 0
    for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
      let word = bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
      // Capitals have bit 6 and not bit 5; the bytes of `slashes` are 0 for slashes.
      let slashes = word ^ each &* 0x2F
      others |= (word & ~(word << 1) & (each << 6)) | ((slashes &- each) & ~slashes & (each << 7))
    }
    return others == 0
  }

  /// Of a token as apps tell it, or of any other bytes.
  static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    let list = Array(bytes)
    return hash(list.span, list.indices)
  }

  /// A word at a time. Who makes two texts of one hash fools only the findings about his own backend.
  static func hash(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
    var state = UInt64(range.count)
    var offset = range.lowerBound
    while offset + 8 <= min(range.upperBound, bytes.count) {
      state = mixed(state, bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    for index in offset..<max(offset, range.upperBound) { state = mixed(state, UInt64(bytes[index])) }
    return state ^ state >> 29
  }

  static func payload(_ record: PushRecord) -> UInt64 {
    let storage = record.push.request.storage
    return hash(storage.span, record.push.payloadRange)
  }

  private static let timestamp = Array(#""timestamp""#.utf8)
  /// The index of the letter p in the key: the rarest of its letters in payloads.
  private static let rare = 9

  /// Of a payload without the number behind `"timestamp"`.
  static func contentHash(_ record: PushRecord) -> UInt64 {
    let storage = record.push.request.storage
    let (bytes, end) = (storage.span, storage.count)
    var start = record.push.payloadRange.lowerBound
    var state: UInt64 = 0
    while let key = ByteRanges.place(of: timestamp, by: rare, in: storage, start..<end) {
      state = mixed(state, hash(bytes, start..<key))
      start = key + timestamp.count
      while start < end, isOfNumber(bytes[start]) { start += 1 }
    }
    return mixed(state, hash(bytes, start..<end))
  }

  /// Both halves of the product: in the lower one alone, a difference in the last letters of a word reaches few bits,
  /// and one in the next word cancels it.
  private static func mixed(_ state: UInt64, _ word: UInt64) -> UInt64 {
    let product = ((state << 5 | state >> 59) ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
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
