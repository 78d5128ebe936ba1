import Synchronization
import TestSupport
import Testing
import Transport

@Suite("A stream ends when its server is silent for too long", .timeLimit(.minutes(15)))
struct WebCallSilenceTests {
  private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

  private func call(_ url: String, mostSilence: Duration) -> WebCall {
    var call = WebCall("GET", url, version: .http1)
    call.timeout = .zero
    call.mostSilence = mostSilence
    return call
  }

  @Test("a timeout of any length is accepted")
  func longTimeout() {
    var call = WebCall("GET", "http://127.0.0.1:1", version: .http1)
    call.timeout = .seconds(Int64.max)
    #expect(throws: WebCall.Failure.self) { try call.perform() }
  }

  @Test("a server that sends three bytes now and then is not silent, however long its answer takes")
  func slow() async throws {
    let drips = 12
    let received = try await inTime { limit in
      let server = try WebServer { _ in .drips(head: Self.head, ":\n\n", count: drips, pause: limit / 6) }
      let bytes = Mutex(0)
      let result = Result { () throws(WebCall.Failure) in
        try call(server.url, mostSilence: limit).stream { part in
          bytes.withLock { $0 += part.count }
          return true
        }
      }
      // A slow machine may have paused for longer; it tries again with more time.
      guard case .success(let reply) = result else { return nil as Int? }
      #expect(reply.status == 200)
      return bytes.withLock { $0 }
    }
    #expect(received == drips * 3)
  }

  @Test("a server that sends nothing, or nothing more, ends the call with a sentence", arguments: [false, true])
  func silent(hasBegun: Bool) throws {
    let server = try WebServer { _ in hasBegun ? .bytes(Self.head + ":\n\n") : .silence }
    let failure = #expect(throws: WebCall.Failure.self) {
      try call(server.url, mostSilence: .milliseconds(50)).stream { _ in true }
    }
    #expect(failure?.kind == .timedOut)
    #expect(failure?.description == "it has sent nothing for 0.05 seconds")
  }
}
