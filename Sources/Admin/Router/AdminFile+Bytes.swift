import CAdminFiles

extension AdminFile {
  /// The whole file, which is part of the program.
  var bytes: [UInt8] {
    let text = admin_file(self)
    return Array(UnsafeBufferPointer(start: text.bytes, count: text.count))
  }
}
