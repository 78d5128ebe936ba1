import COpenSSL

/// Helpers for calls into OpenSSL.
enum OpenSSL {
  /// Runs `body` and removes its errors from the thread's error queue, where a TLS connection on the same thread would
  /// otherwise mistake them for its own.
  static func quietly<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    _ = ERR_set_mark()
    defer { _ = ERR_pop_to_mark() }
    return try body()
  }

  /// The last error, for failures that no input can explain.
  static func failure(_ doing: String) -> SigningFailure {
    let reason = ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) }
    return .library(doing: doing, reason: reason ?? "it gave no reason")
  }

  /// The bytes written by an `i2d_` function: called once for the length, once for the bytes.
  static func encoded(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8]? {
    let count = Int(write(nil))
    guard count > 0 else { return nil }
    var written: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      var cursor = buffer.baseAddress
      written = write(&cursor)
      filled = max(0, Int(written))
    }
    return written > 0 ? bytes : nil
  }

  /// Passes `bytes` to a `d2i_` function; nil unless all of them were one value. `free` frees a value with trailing
  /// bytes.
  static func decoded<Value>(
    _ bytes: [UInt8], _ read: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> Value?, free: (Value) -> Void
  ) -> Value? {
    bytes.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return nil }
      var cursor: UnsafePointer<UInt8>? = start
      guard let value = read(&cursor, buffer.count) else { return nil }
      guard cursor == start + buffer.count else {
        free(value)
        return nil
      }
      return value
    }
  }
}
