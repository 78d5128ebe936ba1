import CNghttp2

/// A client's HPACK, both ways: requests are packed with its table, answers unpacked with the server's.
final class HeaderPacker {
  private var deflater: OpaquePointer?
  private var inflater: OpaquePointer?

  init() {
    nghttp2_hd_deflate_new(&deflater, 4096)
    nghttp2_hd_inflate_new(&inflater)
  }

  deinit {
    nghttp2_hd_deflate_del(deflater)
    nghttp2_hd_inflate_del(inflater)
  }

  func pack(_ fields: [(String, String)]) -> [UInt8] {
    let text = fields.flatMap { Array($0.0.utf8) + Array($0.1.utf8) }
    let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count + 1)
    defer { memory.deallocate() }
    _ = memory.initialize(from: text + [0])
    var at = memory.baseAddress
    let entries = fields.map { name, value in
      let (names, values) = (name.utf8.count, value.utf8.count)
      defer { at = at.map { $0 + names + values } }
      return nghttp2_nv(name: at, value: at.map { $0 + names }, namelen: names, valuelen: values, flags: 0)
    }
    var packed = [UInt8](repeating: 0, count: nghttp2_hd_deflate_bound(deflater, entries, entries.count))
    let count = nghttp2_hd_deflate_hd(deflater, &packed, packed.count, entries, entries.count)
    return Array(packed[..<max(count, 0)])
  }

  /// - Returns: nil when the block breaks a rule of HPACK.
  func unpack(_ block: [UInt8]) -> [String: String]? {
    var fields: [String: String] = [:]
    var at = 0
    while true {
      var entry = nghttp2_nv()
      var flags: Int32 = 0
      let count = block.withUnsafeBufferPointer {
        nghttp2_hd_inflate_hd2(inflater, &entry, &flags, $0.baseAddress.map { $0 + at }, $0.count - at, 1)
      }
      guard count >= 0 else { return nil }
      at += count
      if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
        let name = String(decoding: UnsafeBufferPointer(start: entry.name, count: entry.namelen), as: UTF8.self)
        fields[name] = String(
          decoding: UnsafeBufferPointer(start: entry.value, count: entry.valuelen), as: UTF8.self)
      }
      if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
        nghttp2_hd_inflate_end_headers(inflater)
        return fields
      }
      if count == 0, at >= block.count { return nil }
    }
  }
}
