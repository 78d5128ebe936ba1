import APNs
import WireFormats

/// Every push is read, so only hashes are remembered of it.
extension Auditor {
  /// The hashes of device token and provider token. No text is made of them, because every push is read.
  static func marks(of record: PushRecord) -> (token: UInt64, authorization: UInt64?) {
    let push = record.push
    let storage = push.request.storage
    let token = push.token(to: record.address).map { tokenHash($0.span, 0..<$0.count) }
    return (token ?? 0, push.authorizationRange.map { hash(storage.span, $0) })
  }

  /// The hash of a device token as apps report it: the last part of the path, in lower case.
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

  /// True if there are neither slashes nor capitals, as in nearly all tokens. Checks eight bytes at a time.
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

  /// The hash of a token as apps report it, or of any other bytes.
  static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    let list = Array(bytes)
    return hash(list.span, list.indices)
  }

  /// Hashes a word at a time. Anyone who constructs two texts with the same hash falsifies only the findings about
  /// their own backend.
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

  /// The hash of a payload without the number after `"timestamp"`.
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

  /// Uses both halves of the product: in the lower one alone, a difference in the last letters of a word reaches few
  /// bits, and one in the next word cancels it.
  private static func mixed(_ state: UInt64, _ word: UInt64) -> UInt64 {
    let product = ((state << 5 | state >> 59) ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
  }

  /// True if a byte may be part of a number, or stand between a key and its number.
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
  /// The hash by which an audit recognizes a payload. Equal payloads have equal hashes in every process.
  package var payloadHash: UInt64 { Auditor.payload(self) }
}
