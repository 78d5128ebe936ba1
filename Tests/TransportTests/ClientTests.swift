import HTTP2
import TestSupport
import Testing
import Transport
import WireFormats

@Suite("Clients are served", .timeLimit(.minutes(15))) struct ClientTests {
  @Test("A request of curl with ALPN is answered, and the result of the handshake is reported") func curl() async throws
  {
    let server = try await TestServer()
    let curl = try await Program.run(
      "curl", "-sk", "--http2", "-i", "-H", "apns-topic: com.example", "-d", "{}", server.url)
    #expect(curl.text.hasPrefix("HTTP/2 200 \r\napns-id: A-1\r\n\r\n"))
    let info = try #require(await server.sink.nextOpened())
    #expect(info.listener == TestServer.listenerTag)
    #expect(info.tls == TLSInfo(version: "TLSv1.3", alpn: .h2, clientCertificate: nil))
    #expect(info.peer.hasPrefix("127.0.0.1:"))
    let request = try #require(await server.sink.nextReceived()?.requests.first?.request)
    #expect(request.fields["apns-topic"] == "com.example")
    #expect(Array(request.body) == Array("{}".utf8))
    #expect(await server.sink.nextClosed() == .client)
  }

  @Test("A request of curl without ALPN and with TLS 1.2 is answered as HTTP/2 at once") func noALPN() async throws {
    let server = try await TestServer()
    let curl = try await Program.run(
      "curl", "-sk", "--no-alpn", "--http2-prior-knowledge", "--tls-max", "1.2", "-o", "/dev/null", "-w",
      "%{http_code}", server.url)
    #expect(curl.text == "200")
    #expect(await server.sink.nextOpened()?.tls.alpn == .notOffered)
  }

  @Test("A client that offers only http/1.1 also gets SETTINGS") func othersOnly() async throws {
    let server = try await TestServer { $0.limits.idle = .milliseconds(200) }
    let client = try await Program.run(
      "openssl", "s_client", "-quiet", "-ign_eof", "-alpn", "http/1.1", "-connect", "127.0.0.1:\(server.port)")
    let settings: [UInt8] = [0, 0, 0x18, 4, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0x10, 0]
    #expect(client.output.indices.contains { client.output[$0...].starts(with: settings) })
    #expect(await server.sink.nextOpened()?.tls.alpn == .othersOnly)
  }

  @Test("A client certificate is accepted, unchecked, and shown", arguments: ["1.2", "1.3"])
  func clientCertificate(version: String) async throws {
    let server = try await TestServer()
    let identity = Identity.client
    let curl = try await Program.run(
      "curl", "-sk", "--http2", "--cert", identity.certificatePath, "--key", identity.keyPath, "--tls-max", version,
      "-o", "/dev/null", "-w", "%{http_code}", server.url)
    #expect(curl.text == "200")
    let certificate = try #require(await server.sink.nextOpened()?.tls.clientCertificate)
    #expect(certificate.subject == "CN=provider,O=Pushpit")
    #expect(certificate.der.starts(with: [0x30, 0x82]))
  }

  @Test("h2load over eight connections loses nothing") func load() async throws {
    let server = try await TestServer { $0.session.announcedStreams = 1000 }
    let load = try await Program.run("h2load", "-n", "4000", "-c", "8", "-m", "100", server.url)
    #expect(load.text.contains("4000 succeeded, 0 failed"))
  }

  @Test("h2load honours the limit of one stream, and a raise lets it continue") func raise() async throws {
    let server = try await TestServer { _ in
    } answer: { request, effects in
      if request.stream == 1 { effects.append(.announceStreams(1000)) }
      effects.respond(request.stream, .success)
    }
    let load = try await Program.run("h2load", "-n", "500", "-c", "1", "-m", "50", server.url)
    #expect(load.text.contains("500 succeeded, 0 failed"))
  }

  @Test("New connections get a new certificate") func replaced() async throws {
    let server = try await TestServer()
    let other = Identity.other
    server.order(.replaceTLS(try TLSContext(certificates: other.certificate, key: other.key)))
    let client = try await Program.run("openssl", "s_client", "-connect", "127.0.0.1:\(server.port)")
    #expect(client.text.contains("CN = other"))
  }

  @Test("An answer may come later, from any thread; for a closed connection it is ignored")
  func later() async throws {
    let server = try await TestServer { _ in
    } answer: { _, _ in
    }
    async let curl = Program.run("curl", "-sk", "--http2", "-o", "/dev/null", "-w", "%{http_code}", server.url)
    let (requests, connection) = try #require(await server.sink.nextReceived())
    var effects = Effects()
    effects.respond(try #require(requests.first).stream, .success)
    server.poster.post(effects, to: connection)
    #expect(try await curl.text == "200")
    #expect(await server.sink.nextClosed() == .client)
    server.poster.post(effects, to: connection)
    server.poster.post(effects, to: ConnectionID(loop: 99, number: 1))
  }

  @Test("A cancelled stream is named; the client's close ends the connection") func cancelled() async throws {
    let server = try await TestServer { _ in
    } answer: { _, _ in
    }
    let client = try Program(
      ["openssl", "s_client", "-quiet", "-connect", "127.0.0.1:\(server.port)"],
      input: Bytes.burst(1, resets: true))
    let streams = await server.sink.first { if case .cancelled(let streams) = $0 { streams } else { nil } }
    #expect(streams == [1])
    client.stop()
    #expect(await server.sink.nextClosed() != nil)
    _ = await client.end()
  }

  @Test("A GOAWAY with its reason follows a reset of the same turn; then the connection closes")
  func effects() async throws {
    let server = try await TestServer { _ in
    } answer: { request, effects in
      effects.append(.goAway(GoAway(.noError, debug: Array(#"{"reason":"BadCertificate"}"#.utf8))))
      effects.append(.reset(stream: request.stream, .internalError))
      effects.append(.close)
      effects.respond(request.stream, .success)
    }
    let (client, _) = try await FrameClient.greeted(port: server.port)
    client.post(1)
    let frames = try await client.frames(2)
    #expect(frames.map(\.kind) == [.rstStream, .goAway])
    #expect(frames.first?.number(at: 0) == 2)
    #expect(frames.last?.text.hasSuffix(#"{"reason":"BadCertificate"}"#) == true)
    #expect(await client.next() == .goodbye)
    #expect(await server.sink.nextClosed() == .asked)
  }

  @Test("A connection can be aborted") func abort() async throws {
    let server = try await TestServer { _ in
    } answer: { _, effects in
      effects.append(.abort)
    }
    let curl = try await Program.run("curl", "-sk", "--http2", server.url)
    #expect([55, 56].contains(curl.status))  // failure in sending, or in receiving, network data
    #expect(await server.sink.nextClosed() == .asked)
  }
}
