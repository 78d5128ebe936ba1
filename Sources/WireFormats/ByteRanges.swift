#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Compares ranges of bytes, eight at a time.
package enum ByteRanges {
  package static func equal(
    _ left: Span<UInt8>, at mine: Range<Int>, to right: Span<UInt8>, at theirs: Range<Int>
  ) -> Bool {
    guard mine.count == theirs.count else { return false }
    return left.extracting(mine).withUnsafeBufferPointer { left in
      right.extracting(theirs).withUnsafeBufferPointer { equal($0, left) }
    }
  }

  package static func equal(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
    left.withUnsafeBufferPointer { left in right.withUnsafeBufferPointer { equal($0, left) } }
  }

  /// True if both arrays have the same bytes from the given positions to their ends.
  package static func equal(_ left: [UInt8], at mine: Int, to right: [UInt8], at theirs: Int) -> Bool {
    left[mine...].withUnsafeBufferPointer { left in
      right[theirs...].withUnsafeBufferPointer { equal($0, left) }
    }
  }

  private static func equal(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count, let one = left.baseAddress, let other = right.baseAddress else {
      return left.count == right.count
    }
    return memcmp(one, other, left.count) == 0
  }

  /// The first position of a byte within a range.
  package static func place(of byte: UInt8, in bytes: [UInt8], _ range: Range<Int>) -> Int? {
    bytes[range].withUnsafeBytes { part in
      guard let start = part.baseAddress, let found = memchr(start, Int32(byte), part.count) else { return nil }
      return range.lowerBound + (UnsafeRawPointer(found) - start)
    }
  }

  /// The first position of a byte sequence within a range.
  ///
  /// - Parameter rare: the index of the byte to search for first: one that seldom occurs in the text.
  package static func place(of word: [UInt8], by rare: Int, in bytes: [UInt8], _ range: Range<Int>) -> Int? {
    guard word.indices.contains(rare), range.count >= word.count else { return nil }
    var start = range.lowerBound + rare
    let end = range.upperBound - (word.count - 1 - rare)
    while start < end, let found = place(of: word[rare], in: bytes, start..<end) {
      if equal(bytes[(found - rare)..<(found - rare + word.count)], word[...]) { return found - rare }
      start = found + 1
    }
    return nil
  }

  /// Length of the common prefix.
  package static func commonPrefix(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Int {
    left.withUnsafeBytes { left in
      right.withUnsafeBytes { right in
        let most = min(left.count, right.count)
        var count = 0
        while count + 8 <= most,
          left.loadUnaligned(fromByteOffset: count, as: UInt64.self)
            == right.loadUnaligned(fromByteOffset: count, as: UInt64.self)
        {
          count += 8
        }
        while count < most, left[count] == right[count] { count += 1 }
        return count
      }
    }
  }

  /// Length of the common suffix.
  package static func commonSuffix(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Int {
    left.withUnsafeBytes { left in
      right.withUnsafeBytes { right in
        let most = min(left.count, right.count)
        var count = 0
        while count + 8 <= most,
          left.loadUnaligned(fromByteOffset: left.count - count - 8, as: UInt64.self)
            == right.loadUnaligned(fromByteOffset: right.count - count - 8, as: UInt64.self)
        {
          count += 8
        }
        while count < most, left[left.count - count - 1] == right[right.count - count - 1] { count += 1 }
        return count
      }
    }
  }
}
