import Glibc

/// The server's end of a connection, read request by request.
final class WebStream {
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  struct Head {
    let method: String
    let target: String
    let headers: [(name: String, value: String)]
  }

  /// First byte of a TLS handshake, which this server does not speak.
  private static let handshake: UInt8 = 22

  /// Nil when the client has left.
  func next() -> (Head, body: [UInt8])? {
    var end = headEnd()
    while end == nil {
      guard read() else { return nil }
      end = headEnd()
    }
    guard let end else { return nil }
    let lines = String(decoding: buffer[..<end], as: UTF8.self).split(separator: "\r\n")
    let words = lines[0].split(separator: " ").map(String.init)
    let headers = lines.dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return (name: parts[0].lowercased(), value: String(parts[1].drop { $0 == " " }))
    }
    let count = headers.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
    while buffer.count < end + count {
      guard read() else { return nil }
    }
    let body = Array(buffer[end..<end + count])
    buffer.removeFirst(end + count)
    return (Head(method: words[0], target: words[1], headers: headers), body)
  }

  private func headEnd() -> Int? {
    let mark: [UInt8] = [13, 10, 13, 10]
    guard buffer.count >= 4 else { return nil }
    return (0...buffer.count - 4).first { buffer[$0..<$0 + 4].elementsEqual(mark) }.map { $0 + 4 }
  }

  private func read() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    guard count > 0 else { return false }
    buffer += chunk[..<count]
    guard buffer.first != Self.handshake else {
      send("HTTP/1.1 400 X\r\n\r\n")
      return false
    }
    return true
  }

  func readToEnd() {
    while read() { buffer = [] }
  }

  func send(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  func resetOnClose() {
    var setting = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &setting, socklen_t(MemoryLayout.size(ofValue: setting)))
  }
}
