import HTTP2
import WireFormats

/// A session under test, and the requests it has given out.
final class Server {
  let session: HTTP2Session
  private(set) var requests: [IncomingRequest] = []
  private(set) var cancelled: [Int32] = []

  init(_ change: (inout SessionOptions) -> Void = { _ in }) {
    var options = SessionOptions()
    change(&options)
    session = HTTP2Session(options, pool: SlotPool())
  }

  /// A session that has been greeted by a client which has not yet acknowledged the SETTINGS.
  static func greeted(
    by settings: Frame = .settings(), _ change: (inout SessionOptions) -> Void = { _ in }
  ) -> Server {
    let server = Server(change)
    server.receive(Frame.preface + settings.bytes)
    _ = server.output()
    return server
  }

  func receive(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { session.receive($0) }
    requests += session.arrived
    cancelled += session.cancelled
    session.clearArrivals()
  }

  func receive(_ frames: Frame...) { receive(frames.flatMap(\.bytes)) }

  /// Everything there is to write, gathered into pieces of `piece` bytes.
  func output(piece: Int = 65_536) -> [UInt8] {
    var bytes: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 1)
    defer { buffer.deallocate() }
    while true {
      let count = session.fill(buffer)
      guard count > 0 else { return bytes }
      bytes.append(contentsOf: buffer[..<count])
    }
  }

  func frames() -> [Frame] { Frame.parse(output()) }

  /// Answers every request that has come so far with 200, in order.
  func answerAll(_ response: HTTPResponse = .success) {
    for request in requests { session.respond(request.stream, response) }
    requests = []
  }
}

extension HTTPResponse {
  static let success = HTTPResponse(status: 200, fields: HTTPFields([("apns-id", "A-1")]), body: [])

  static func refusal(_ status: Int, _ body: String) -> HTTPResponse {
    HTTPResponse(
      status: status, fields: HTTPFields([("content-type", "application/json")]), body: Array(body.utf8))
  }
}
