import COpenSSL

/// Owner of one memory `BIO`: where OpenSSL reads text from and writes text to.
final class MemoryBuffer {
  let pointer: OpaquePointer

  init(_ text: String = "") throws(SigningFailure) {
    guard let pointer = BIO_new(BIO_s_mem()) else { throw OpenSSL.failure("make a memory buffer") }
    self.pointer = pointer
    var text = text
    let whole = text.withUTF8 { bytes in
      bytes.isEmpty || BIO_write(pointer, bytes.baseAddress, Int32(clamping: bytes.count)) == bytes.count
    }
    guard whole else { throw OpenSSL.failure("fill a memory buffer") }
  }

  deinit { BIO_free_all(pointer) }

  var text: String {
    var bytes: UnsafeMutablePointer<CChar>?
    let count = pushpit_bio_memory(pointer, &bytes)
    let buffer = UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count)
    return String(decoding: buffer, as: UTF8.self)
  }
}
