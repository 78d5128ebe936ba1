import CNghttp2
import WireFormats

/// Converts an answer's fields into the list that nghttp2 needs, in memory that is reused.
///
/// nghttp2 copies names and values when the response is submitted, so nothing needs to outlive that call except the
/// name `:status`, which is static.
final class FieldBlock {
  private static let status: StaticString = ":status"
  /// Fields after `:status`; more than any answer has. A longer list is truncated.
  private static let most = 31

  private let entries: UnsafeMutablePointer<nghttp2_nv>
  private let digits: UnsafeMutablePointer<UInt8>
  /// Memory for the two stamps of an answer.
  private let stamps: UnsafeMutableRawPointer
  private let unindexed: [[UInt8]]

  init(unindexed: [String]) {
    entries = .allocate(capacity: Self.most + 1)
    digits = .allocate(capacity: 3)
    stamps = .allocate(byteCount: 72, alignment: 1)
    digits.initialize(repeating: UInt8(ascii: "0"), count: 3)
    self.unindexed = unindexed.map { Array($0.utf8) }
  }

  deinit {
    entries.deallocate()
    digits.deallocate()
    stamps.deallocate()
  }

  /// Passes the fields of an answer to `body`; the list is valid only during the call.
  func with(_ response: HTTPResponse, _ body: (UnsafePointer<nghttp2_nv>, Int) -> Bool) -> Bool {
    set(status: response.status)
    let places = (response.stamps.first?.at ?? -1, response.stamps.second?.at ?? -1)
    if let first = response.stamps.first { stamps.storeBytes(of: first.text, as: HTTPResponse.Stamps.Text.self) }
    if let second = response.stamps.second {
      stamps.storeBytes(of: second.text, toByteOffset: 36, as: HTTPResponse.Stamps.Text.self)
    }
    return response.form.packed.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return body(entries, 1) }
      var count = 1
      var cursor = HTTPFieldCursor()
      while count <= Self.most, let field = cursor.next(in: bytes.span, end: bytes.count) {
        let name = UnsafeMutablePointer(mutating: base + field.name.lowerBound)
        let value: UnsafeMutablePointer<UInt8> =
          switch field.value.lowerBound {
          case places.0 where field.value.count == 36: stamps.assumingMemoryBound(to: UInt8.self)
          case places.1 where field.value.count == 36: (stamps + 36).assumingMemoryBound(to: UInt8.self)
          default: UnsafeMutablePointer(mutating: base + field.value.lowerBound)
          }
        entries[count] = nghttp2_nv(
          name: name, value: value,
          namelen: field.name.count, valuelen: field.value.count, flags: flags(for: name, field.name.count))
        count += 1
      }
      return body(entries, count)
    }
  }

  private func set(status: Int) {
    let code = (100...999).contains(status) ? status : 500
    digits[0] = UInt8(ascii: "0") + UInt8(code / 100)
    digits[1] = UInt8(ascii: "0") + UInt8(code / 10 % 10)
    digits[2] = UInt8(ascii: "0") + UInt8(code % 10)
    entries[0] = nghttp2_nv(
      name: UnsafeMutablePointer(mutating: Self.status.utf8Start), value: digits,
      namelen: Self.status.utf8CodeUnitCount, valuelen: 3,
      flags: UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue))
  }

  private func flags(for name: UnsafePointer<UInt8>, _ count: Int) -> UInt8 {
    for candidate in unindexed where candidate.count == count {
      if (0..<count).allSatisfy({ candidate[$0] == name[$0] }) { return UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) }
    }
    return UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)
  }
}
