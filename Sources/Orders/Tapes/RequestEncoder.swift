import Simulation
import WireFormats

/// Writes a request as its difference to the previous one: most pushes differ in the token and a few characters.
struct RequestEncoder: Sendable {
  /// Bits of the first byte.
  enum Form {
    static let whole: UInt8 = 0
    static let like: UInt8 = 1
    static let sameBody: UInt8 = 2
  }

  /// Encodings of a value.
  enum Value {
    static let raw: UInt64 = 0
    static let hex: UInt64 = 1
    static let known: UInt64 = 2
    /// Number of bits that the encoding takes of a value's first number.
    static let bits: UInt64 = 2
  }

  /// Shorter values are cheaper to write than to store.
  static let memorable = 16
  /// Longer values are not worth storing.
  static let tooLong = 1024

  /// Indices of values by hash; hashing an array byte by byte took a tenth of a push.
  private var places: [UInt64: Int] = [:]
  private var changed: [(index: Int, value: Range<Int>, before: Range<Int>)] = []

  mutating func put(
    _ request: HTTPRequest, after before: HTTPRequest, into bytes: inout TapeValueWriter,
    _ memory: inout TapeCompressionState
  ) {
    guard compare(request, before) else {
      bytes.put(byte: Form.whole)
      bytes.put(request.storage[..<request.bodyStart])
      bytes.put(request.body)
      return
    }
    let sameBody = ByteRanges.equal(request.storage, at: request.bodyStart, to: before.storage, at: before.bodyStart)
    bytes.put(byte: Form.like | (sameBody ? Form.sameBody : 0))
    var last = -1
    for field in changed {
      bytes.put(field.index - last)
      last = field.index
      put(request.storage[field.value], after: before.storage[field.before], into: &bytes, &memory)
    }
    bytes.put(0)
    guard !sameBody else { return }
    putDifference(request.body, before.body, into: &bytes)
  }

  /// Finds the values that differ, and returns true if both requests have the same field names.
  private mutating func compare(_ request: HTTPRequest, _ before: HTTPRequest) -> Bool {
    changed.removeAll(keepingCapacity: true)
    guard before.bodyStart > 0 else { return false }
    let (mine, theirs) = (request.storage.span, before.storage.span)
    var (own, other) = (HTTPFieldCursor(), HTTPFieldCursor())
    var index = 0
    // Only if the fields fill their range of bytes exactly can they be reconstructed one by one.
    var ends = (0, 0)
    while true {
      switch (own.next(in: mine, end: request.bodyStart), other.next(in: theirs, end: before.bodyStart)) {
      case (nil, nil): return ends == (request.bodyStart, before.bodyStart)
      case (let field?, let old?):
        // Most fields are the same, and name and value stand side by side.
        let (whole, before) = (
          field.name.lowerBound..<field.value.upperBound, old.name.lowerBound..<old.value.upperBound
        )
        if field.name.count != old.name.count || !ByteRanges.equal(mine, at: whole, to: theirs, at: before) {
          guard ByteRanges.equal(mine, at: field.name, to: theirs, at: old.name) else { return false }
          changed.append((index, field.value, old.value))
        }
        ends = (field.value.upperBound, old.value.upperBound)
        index += 1
      default: return false
      }
    }
  }

  private mutating func put(
    _ value: ArraySlice<UInt8>, after before: ArraySlice<UInt8>, into bytes: inout TapeValueWriter,
    _ memory: inout TapeCompressionState
  ) {
    let isMemorable = value.count >= Self.memorable && value.count <= Self.tooLong
    let hash = isMemorable ? Self.hash(value) : 0
    if isMemorable, let place = places[hash], ByteRanges.equal(value, memory.values[place][...]) {
      bytes.put(UInt64(place) << Value.bits | Value.known)
      return
    }
    let prefix = ByteRanges.commonPrefix(value, before)
    let suffix = ByteRanges.commonSuffix(value.dropFirst(prefix), before.dropFirst(prefix))
    let middle = value.dropFirst(prefix).dropLast(suffix)
    let packed = HexPacking.pack(middle)
    bytes.put(UInt64(prefix) << Value.bits | (packed == nil ? Value.raw : Value.hex))
    bytes.put(suffix)
    if let packed { bytes.put(packed) } else { bytes.put(middle) }
    guard isMemorable else { return }
    let (place, old) = memory.keep(Array(value))
    if let old {
      let hash = Self.hash(old[...])
      if places[hash] == place { places[hash] = nil }
    }
    places[hash] = place
  }

  private static func hash(_ value: ArraySlice<UInt8>) -> UInt64 {
    var digest = EventDigest()
    value.withUnsafeBytes { digest.combine($0) }
    return digest.whole
  }

  private func putDifference(_ body: ArraySlice<UInt8>, _ before: ArraySlice<UInt8>, into bytes: inout TapeValueWriter)
  {
    let prefix = ByteRanges.commonPrefix(body, before)
    let suffix = ByteRanges.commonSuffix(body.dropFirst(prefix), before.dropFirst(prefix))
    bytes.put(prefix)
    bytes.put(suffix)
    bytes.put(body.dropFirst(prefix).dropLast(suffix))
  }
}
