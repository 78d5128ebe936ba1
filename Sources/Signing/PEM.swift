import COpenSSL

/// The first block of a PEM file (RFC 7468): its label and bytes.
struct PEM {
  let label: String
  let bytes: [UInt8]

  init(label: String, bytes: [UInt8]) {
    self.label = label
    self.bytes = bytes
  }

  /// `wanted` is what the file should contain, for sentences.
  init(_ text: String, from file: String, wanted: String) throws(SigningFailure) {
    self = try OpenSSL.quietly { () throws(SigningFailure) in
      try PEM(MemoryBuffer(text), from: file, wanted: wanted)
    }
  }

  /// All blocks of the file, at least one.
  static func all(_ text: String, from file: String, wanted: String) throws(SigningFailure) -> [PEM] {
    try OpenSSL.quietly { () throws(SigningFailure) in
      let buffer = try MemoryBuffer(text)
      var blocks = [try PEM(buffer, from: file, wanted: wanted)]
      while BIO_ctrl_pending(buffer.pointer) > 0 {
        do throws(SigningFailure) {
          blocks.append(try PEM(buffer, from: file, wanted: wanted))
        } catch .notPEM {
          // Text after the last block.
          break
        }
      }
      return blocks
    }
  }

  /// The next block of a buffer. The caller clears OpenSSL's error queue.
  private init(_ buffer: MemoryBuffer, from file: String, wanted: String) throws(SigningFailure) {
    var name: UnsafeMutablePointer<CChar>?
    var header: UnsafeMutablePointer<CChar>?
    var data: UnsafeMutablePointer<UInt8>?
    var count = 0
    defer {
      CRYPTO_free(name, #file, #line)
      CRYPTO_free(header, #file, #line)
      CRYPTO_clear_free(data, count, #file, #line)
    }
    guard PEM_read_bio(buffer.pointer, &name, &header, &data, &count) == 1, let name, let data else {
      let reason = pushpit_err_reason(ERR_peek_last_error())
      throw reason == PEM_R_NO_START_LINE
        ? .notPEM(file: file, wanted: wanted) : .damaged(file: file, wanted: wanted)
    }
    self.init(label: String(cString: name), bytes: Array(UnsafeBufferPointer(start: data, count: count)))
  }

  func text() throws(SigningFailure) -> String {
    try OpenSSL.quietly { () throws(SigningFailure) in
      let buffer = try MemoryBuffer()
      guard PEM_write_bio(buffer.pointer, label, "", bytes, bytes.count) > 0 else {
        throw OpenSSL.failure("write PEM")
      }
      return buffer.text
    }
  }
}
