import CNghttp2

/// The fields of a client's requests as nghttp2 needs them. They are prepared once; only the path and the id differ
/// between requests. Used by the sessions of one thread.
package final class RequestHead {
  /// Number of characters of an id: a UUID.
  static let idCount = 36
  private static let pathIndex = 3

  let entries: UnsafeMutablePointer<nghttp2_nv>
  let count: Int
  private let memory: UnsafeMutablePointer<UInt8>
  private let hasID: Bool

  /// - Parameters:
  ///   - fields: after the pseudo-header fields; names in lower case.
  ///   - idName: name of the field whose value differs in each request; nil for none.
  package init(authority: String, _ fields: [(name: String, value: String)], idName: String?) {
    var all = [(":method", "POST"), (":scheme", "https"), (":authority", authority), (":path", "")]
    all += fields.map { ($0.name, $0.value) }
    if let idName { all.append((idName, "")) }
    let text = all.flatMap { Array($0.0.utf8) + Array($0.1.utf8) }
    memory = .allocate(capacity: text.count)
    for (index, byte) in text.enumerated() { (memory + index).initialize(to: byte) }
    entries = .allocate(capacity: all.count)
    count = all.count
    hasID = idName != nil
    let kept = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
    var at = memory
    for (index, field) in all.enumerated() {
      let (name, value) = (field.0.utf8.count, field.1.utf8.count)
      // An id differs in each request: in the compression table, it would only evict the other fields.
      let isID = idName != nil && index == all.count - 1
      let flags = kept | (isID ? UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) : 0)
      let entry = nghttp2_nv(name: at, value: at + name, namelen: name, valuelen: value, flags: flags)
      (entries + index).initialize(to: entry)
      at += name + value
    }
  }

  deinit {
    entries.deallocate()
    memory.deallocate()
  }

  /// Both must stay where they are until the request has ended.
  func set(path: (start: UnsafeMutablePointer<UInt8>, count: Int), id: UnsafeMutablePointer<UInt8>) {
    entries[Self.pathIndex].value = path.start
    entries[Self.pathIndex].valuelen = path.count
    guard hasID else { return }
    entries[count - 1].value = id
    entries[count - 1].valuelen = Self.idCount
  }
}
