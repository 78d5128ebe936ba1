#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Span where Element == UInt8 {
  /// True if `self[range]` equals these bytes.
  package func holds(_ range: Range<Int>, _ other: Span<UInt8>) -> Bool {
    let count = range.count
    guard count == other.count, range.lowerBound >= 0, range.upperBound <= self.count else { return false }
    guard count > 0 else { return true }
    return withUnsafeBufferPointer { mine in
      other.withUnsafeBufferPointer { theirs in
        guard let left = mine.baseAddress, let right = theirs.baseAddress else { return false }
        return memcmp(left + range.lowerBound, right, count) == 0
      }
    }
  }

  /// True if `self[range]` equals this text. Inlined, so that length and characters are constants at the call site.
  @inlinable @inline(__always)
  package func holds(_ range: Range<Int>, _ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard range.count == count, range.upperBound <= self.count else { return false }
    let mine = bytes
    let theirs = UnsafeRawPointer(text.utf8Start)
    var offset = 0
    while offset + 8 <= count {
      let word = mine.unsafeLoadUnaligned(fromByteOffset: range.lowerBound + offset, as: UInt64.self)
      guard word == theirs.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
      offset += 8
    }
    while offset < count {
      guard self[range.lowerBound + offset] == text.utf8Start[offset] else { return false }
      offset += 1
    }
    return true
  }

  /// `self[range]` as text, for display.
  package func text(_ range: Range<Int>) -> String {
    String(unsafeUninitializedCapacity: range.count) { buffer in
      for index in 0..<range.count { buffer[index] = self[range.lowerBound + index] }
      return range.count
    }
  }

  /// A copy of `self[range]`.
  package func copy(_ range: Range<Int>) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
      for index in 0..<range.count { buffer[index] = self[range.lowerBound + index] }
      count = range.count
    }
  }

  /// `self[range]` as a decimal number without sign. Nil if it is empty, has a character that is not a digit, or is too
  /// large.
  package func decimal(_ range: Range<Int>) -> Int64? {
    guard !range.isEmpty, range.count <= 19 else { return nil }
    var value: Int64 = 0
    for index in range {
      guard self[index] >= 0x30, self[index] <= 0x39 else { return nil }
      let (product, high) = value.multipliedReportingOverflow(by: 10)
      let (sum, over) = product.addingReportingOverflow(Int64(self[index] - 0x30))
      guard !high, !over else { return nil }
      value = sum
    }
    return value
  }
}
