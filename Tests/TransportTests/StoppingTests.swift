import HTTP2
import TestSupport
import Testing
import Transport

@Suite("The server stops", .timeLimit(.minutes(15))) struct StoppingTests {
  @Test("GOAWAY with the reason, what is in flight is answered, then all is closed") func drain() async throws {
    let server = try await TestServer { _ in
    } answer: { _, _ in
    }
    async let nghttp = Program.run("nghttp", "-nv", server.url)
    let (requests, connection) = try #require(await server.sink.nextReceived())
    server.order(.drain(within: .seconds(3600)))
    #expect(await server.sink.draining() == true)
    var effects = Effects()
    effects.respond(try #require(requests.first).stream, .success)
    server.poster.post(effects, to: connection)
    #expect(await server.sink.nextClosed() == .finished)
    #expect(await server.sink.drained() == true)
    let text = try await nghttp.text
    #expect(text.contains(#"{"reason":"Shutdown"}"#))
    #expect(text.contains(":status: 200"))
    #expect(throws: PlainSocket.Refused.self) { try PlainSocket(port: server.port) }
  }

  @Test("Requests that are not answered in time are aborted") func cut() async throws {
    let server = try await TestServer { _ in
    } answer: { _, _ in
    }
    async let nghttp = Program.run("nghttp", "-nv", server.url)
    _ = try #require(await server.sink.nextReceived())
    server.order(.drain(within: .milliseconds(100)))
    #expect(await server.sink.nextClosed() == .stopped)
    #expect(await server.sink.drained() == true)
    #expect(try await nghttp.text.contains(#"{"reason":"Shutdown"}"#))
  }

  @Test("A server without connections stops at once") func idle() async throws {
    let server = try await TestServer()
    server.order(.drain(within: .seconds(3600)))
    #expect(await server.sink.drained() == true)
  }
}
