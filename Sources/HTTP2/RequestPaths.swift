/// The paths of all requests of a client, such as one for each device token, at addresses that never change: nghttp2
/// reads them there, so no request copies its path.
package final class RequestPaths: Sendable {
  /// Written only before `init` returns. Afterwards it is only read, although nghttp2 takes pointers that are not
  /// const, and it is freed when nobody holds the object any more.
  nonisolated(unsafe) private let bytes: UnsafeMutablePointer<UInt8>
  /// The offset at which each path begins, and finally the end of the last one.
  private let starts: [Int]

  package var count: Int { starts.count - 1 }

  /// - Parameter prefix: what every path begins with.
  package init(prefix: String, _ rests: some Collection<String>) {
    let prefix = Array(prefix.utf8)
    let size = rests.reduce(0) { $0 + prefix.count + $1.utf8.count }
    bytes = .allocate(capacity: max(size, 1))
    var starts = [0]
    starts.reserveCapacity(rests.count + 1)
    var at = 0
    for rest in rests {
      for byte in prefix {
        (bytes + at).initialize(to: byte)
        at += 1
      }
      for byte in rest.utf8 {
        (bytes + at).initialize(to: byte)
        at += 1
      }
      starts.append(at)
    }
    self.starts = starts
  }

  deinit { bytes.deallocate() }

  /// The path of a request; after the last one the first follows.
  func path(_ number: UInt64) -> (start: UnsafeMutablePointer<UInt8>, count: Int) {
    let index = Int(number % UInt64(count))
    return (bytes + starts[index], starts[index + 1] - starts[index])
  }
}
