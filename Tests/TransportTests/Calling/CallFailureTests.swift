import Testing
import Transport

@Suite("Calls of apps fail with a sentence", .timeLimit(.minutes(15))) struct CallFailureTests {
  private func failure(_ reaction: WebServer.Reaction, timeout: Duration = Phones.patience) async throws -> String {
    let server = try WebServer { _ in reaction }
    let phones = try Phones()
    let failure = try #require(await phones.get(server.url, timeout: timeout)?.failure)
    return "\(failure.kind): " + failure.description.replacing("127.0.0.1:\(server.port)", with: "HOST")
  }

  /// On a slow machine a short time may be over before the server has come so far; then a longer one is given.
  private func late(_ reaction: WebServer.Reaction, _ expected: (String) -> String) async throws {
    var seen: [String] = []
    for (text, time) in [("50ms", Duration.milliseconds(50)), ("1s", .seconds(1)), ("2m", .seconds(120))] {
      seen.append(try await failure(reaction, timeout: time))
      if seen.last == expected(text) { return }
    }
    Issue.record("\(seen)")
  }

  @Test("A server that does not answer in time, or only partially") func timeouts() async throws {
    try await late(.silence) { "timedOut: HOST received the request and did not answer within \($0)" }
    try await late(.bytes("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc")) {
      "timedOut: HOST answered only partially within \($0) (status 200, 3 bytes of the body)"
    }
    #expect(try await failure(.silence, timeout: .zero).hasPrefix("timedOut: the call to HOST waited 0s"))
  }

  @Test("A server that closes instead of answering, in the middle of its answer, or resets") func closed() async throws
  {
    #expect(try await failure(.bytesAndClose("")) == "closedHalfWay: HOST closed the connection instead of answering")
    #expect(try await failure(.bytesAndReset("")) == "closedHalfWay: HOST closed the connection instead of answering")
    let cut = "closedHalfWay: HOST closed the connection in the middle of its answer (status 200, 0 bytes of the body)"
    #expect(try await failure(.bytesAndClose("HTTP/1.1 200 OK\r\ncontent-le")) == cut)
    #expect(try await failure(.bytesAndClose("HTTP/1.1 200 OK\r\nx-a: b\r\n")) == cut)
    let half = "closedHalfWay: HOST closed the connection in the middle of its answer (status 200, 3 bytes of the body)"
    #expect(try await failure(.bytesAndClose("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc")) == half)
    #expect(
      try await failure(.bytesAndClose("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc")) == half)
  }

  @Test(
    "An answer that is not HTTP",
    arguments: [
      "SSH-2.0-OpenSSH_9.2\r\n", "\u{0}\u{1}\u{2}garbage\r\n\r\n", "HTTP/1.1 banana\r\n\r\n",
      "HTTP/1.1 200 OK\r\ncontent-length: banana\r\n\r\n",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzebra\r\n",
    ])
  func garbage(text: String) async throws {
    let failure = try await failure(.bytesAndClose(text))
    #expect(failure.hasPrefix("notHTTP: HOST answered with something that is not HTTP/1.1"), "\(failure)")
  }

  @Test("A port without a listener") func refused() async throws {
    let port = try WebServer.freePort()
    let phones = try Phones()
    let failure = await phones.get("http://127.0.0.1:\(port)/")?.failure
    #expect(failure?.kind == .refused)
    #expect(failure?.description == "127.0.0.1:\(port) refused the connection (Connection refused)")
  }

  @Test("TLS with a plain server, and with a server that is not trusted until it is") func tls() async throws {
    let plain = try WebServer { _ in .answer(200) }
    let phones = try Phones()
    #expect(await phones.get("https://127.0.0.1:\(plain.port)/")?.failure?.kind == .tls)
    // Speaks HTTP/2 alone, so that trust leads no further than to an answer that is not HTTP/1.1.
    let secure = try await TestServer()
    #expect(await phones.get(secure.url)?.failure?.kind == .tls)
    let trusting = try Phones { $0.authority = Identity.server.certificatePath }
    #expect(await trusting.get(secure.url)?.failure?.kind == .notHTTP)
  }

  @Test("A certificate of a trusted authority for another host") func tlsHost() async throws {
    let (mine, other) = (Identity.server, Identity.elsewhere)
    let server = try await TestServer()
    server.order(.replaceTLS(try TLSContext(certificates: other.certificate, key: other.key)))
    let trusting = try Phones { $0.authority = other.certificatePath }
    let failure = await trusting.get("https://localhost:\(server.port)/")?.failure
    #expect(failure?.kind == .tls)
    #expect(failure?.description.contains("no alternative certificate subject name matches") == true)
    // It is the name alone that is wrong with it: by its own name it is trusted.
    let named = try Phones {
      $0.authority = other.certificatePath
      $0.allowedHosts = ["elsewhere.test"]
      $0.addresses = ["elsewhere.test:\(server.port):127.0.0.1"]
    }
    #expect(await named.get("https://elsewhere.test:\(server.port)/")?.failure?.kind == .notHTTP)
    server.order(.replaceTLS(try TLSContext(certificates: mine.certificate, key: mine.key)))
    #expect(await named.get("https://elsewhere.test:\(server.port)/")?.failure?.kind == .tls)
  }

  @Test("A kept connection that closes under a call: requests are never repeated", arguments: ["GET", "PUT", "POST"])
  func notTwice(method: String) async throws {
    let server = try WebServer { $0.number == 1 ? .answer(200) : .bytesAndClose("") }
    let phones = try Phones()
    #expect(await phones.get(server.url)?.answer?.status == 200)
    let call = AppCall(number: 2, method: method, url: server.url, body: method == "GET" ? nil : [1, 2, 3])
    let failure = await phones.call(call)?.failure
    #expect(failure?.kind == .closedHalfWay)
    #expect(failure?.description.contains("requests are never repeated") == true)
    #expect(server.requests.map(\.connection) == [1, 1])
    // The caller is none the worse for it.
    #expect(await phones.get(server.url)?.failure?.kind == .closedHalfWay)
  }

  @Test("A call that is not a valid request is not sent", arguments: malformed) func unwritable(call: AppCall)
    async throws
  {
    let phones = try Phones()
    let failure = await phones.call(call)?.failure
    #expect(failure?.kind == .malformed)
    #expect(failure?.description.hasSuffix("; nothing was sent") == true)
  }

  static let malformed: [AppCall] =
    ["", "GET / HTTP/1.1\r\nX:", "GÉT"].map { AppCall(number: 1, method: $0, url: "http://127.0.0.1:9/") }
    + [
      ("X", "a\r\nEvil: b"), ("X", "a\nb"), ("X", "a\u{0}b"), ("X: y\r\nZ", "a"), ("", "a"), ("Content-Length", "5"),
      ("transfer-encoding", "chunked"), ("Expect", "100-continue"),
    ].map { AppCall(number: 1, method: "GET", url: "http://127.0.0.1:9/", headers: [$0]) }
    + [
      "", "127.0.0.1:9", "ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/", "http://",
      "http://127.0.0.1:99999/", "http://127.0.0.1:9/a b", "http://127.0.0.1:9/\r\nX: y", "http://127.0.0.1:9/ä",
      "http://127.0.0.1\u{0}.example/",
    ].map { AppCall(number: 1, method: "GET", url: $0) }
}
