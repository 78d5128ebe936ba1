import WireFormats

/// Splits the bytes of a tape into records, and writes records as bytes.
///
/// A tape is a line of text with its format, followed by records: three bytes of length (little-endian), a check byte,
/// a payload, and its CRC-32. The check byte distinguishes a damaged length from a truncated tape.
package struct TapeFrames: Sendable {
  package static let format = String(newest)
  private static let newest = 5
  /// The first line, with the number of the format.
  package static let opening = "pushpit tape \(format)\n"
  /// The beginning of the first line, in any format.
  private static let anyOpening = "pushpit tape "
  /// Maximum size of a payload in bytes, given by three bytes of length.
  package static let longest = 0xFF_FFFF
  private static let headCount = 4
  private static let tailCount = 4

  /// The next part of a tape.
  package enum Next: Hashable, Sendable {
    case record([UInt8])
    /// More bytes are needed, or the tape ends here.
    case unfinished
    /// A length or a checksum is wrong.
    case damaged
  }

  private var bytes: [UInt8] = []
  private var start = 0
  /// Bytes of complete records read so far.
  package private(set) var taken: UInt64 = 0
  package var waiting: Int { bytes.count - start }

  package init() {}

  package mutating func add(_ more: ArraySlice<UInt8>) {
    if start > 0 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes.append(contentsOf: more)
  }

  /// Reads the first line, and throws if it is not that of a tape of a known format.
  package mutating func open() throws(UnplayableTape) {
    let line = Array(Self.opening.utf8)
    if bytes.starts(with: line) {
      start = line.count
      taken = UInt64(line.count)
      return
    }
    guard bytes.starts(with: Self.anyOpening.utf8), let end = bytes.firstIndex(of: 0x0A), end < 32 else {
      throw .noTape
    }
    let format = String(decoding: bytes[Self.anyOpening.utf8.count..<end], as: UTF8.self)
    start = end + 1
    // Records and header have been the same in all formats.
    guard case .record(let header) = next(), let json = try? JSONValue.parse(Array(header.dropFirst())) else {
      throw .otherFormat(format, program: nil)
    }
    throw .otherFormat(format, program: json["program"]?.string)
  }

  /// The kind of a file, by its first bytes.
  package enum Beginning: Hashable, Sendable {
    /// A tape of this format or an earlier one, or the beginning of its first line.
    case known
    case newer(format: Int)
    case noTape
  }

  /// Number of bytes that identify the kind of a file.
  package static let beginningCount = 32

  package static func beginning(_ bytes: [UInt8]) -> Beginning {
    for format in 1...newest {
      let line = "\(anyOpening)\(format)\n".utf8
      if bytes.starts(with: line) || line.starts(with: bytes) { return .known }
    }
    guard bytes.starts(with: anyOpening.utf8), let end = bytes.firstIndex(of: 0x0A) else { return .noTape }
    let word = String(decoding: bytes[anyOpening.utf8.count..<end], as: UTF8.self)
    guard word.allSatisfy(\.isASCIIDigit), let format = Int(word), format > newest else { return .noTape }
    return .newer(format: format)
  }

  package mutating func next() -> Next {
    let rest = bytes[start...]
    guard rest.count >= Self.headCount else { return .unfinished }
    let head = rest.prefix(3)
    guard Self.guarding(head) == bytes[start + 3] else { return .damaged }
    let count = head.reversed().reduce(0) { $0 << 8 | Int($1) }
    guard rest.count >= Self.headCount + count + Self.tailCount else { return .unfinished }
    let body = start + Self.headCount
    let payload = bytes[body..<body + count]
    let tail = bytes[body + count..<body + count + Self.tailCount]
    let sum = tail.reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    guard sum == Checksum.of(payload), count > 0 else { return .damaged }
    start = body + count + Self.tailCount
    taken += UInt64(Self.headCount + count + Self.tailCount)
    return .record(Array(payload))
  }

  /// Appends a record to the bytes of a tape.
  ///
  /// - Precondition: the payload is not longer than `longest`.
  package static func append(_ payload: [UInt8], to bytes: inout [UInt8]) {
    precondition(payload.count <= longest, "a record's length fits in three bytes")
    let head = [0, 8, 16].map { UInt8(payload.count >> $0 & 0xFF) }
    bytes += head
    bytes.append(guarding(head[...]))
    bytes += payload
    let sum = Checksum.of(payload[...])
    for shift: UInt32 in [0, 8, 16, 24] { bytes.append(UInt8(sum >> shift & 0xFF)) }
  }

  /// The four bytes of the length's CRC-32, combined into one.
  private static func guarding(_ head: ArraySlice<UInt8>) -> UInt8 {
    let sum = Checksum.of(head)
    let half = sum ^ sum >> 16
    return UInt8((half ^ half >> 8) & 0xFF)
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}

/// The reason why a file cannot be played at all.
package enum UnplayableTape: Error, Hashable, Sendable {
  case noTape
  /// The format of the tape, as in its first line, and the version of the program that wrote it, if it can be read.
  case otherFormat(String, program: String?)
}

/// CRC-32 as in zlib and PNG (ISO 3309, polynomial 0xEDB88320), so that other programs can check a tape too.
enum Checksum {
  /// For each byte, its sums when 0 to 7 zero bytes follow it, so that eight bytes are added at a time.
  private static let table: [UInt32] = {
    var table: [UInt32] = (0..<256 as Range<UInt32>).map { index in
      var value: UInt32 = index
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
      return value
    }
    for place in 0..<7 * 256 { table.append(table[place] >> 8 ^ table[Int(table[place] & 0xFF)]) }
    return table
  }()

  static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    let span = bytes.span
    let list = Self.table
    let table = list.span
    var sum: UInt32 = 0xFFFF_FFFF
    var index = 0
    while index + 8 <= span.count {
      let word = span.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian ^ UInt64(sum)
      sum = 0
      for byte in 0..<8 { sum ^= table[(7 - byte) << 8 | Int(truncatingIfNeeded: word >> (8 * UInt64(byte))) & 0xFF] }
      index += 8
    }
    while index < span.count {
      sum = sum >> 8 ^ table[Int((sum ^ UInt32(span[index])) & 0xFF)]
      index += 1
    }
    return ~sum
  }
}
