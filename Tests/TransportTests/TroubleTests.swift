import HTTP2
import TestSupport
import Testing
import Transport
import WireFormats

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Trouble is recognised", .timeLimit(.minutes(15))) struct TroubleTests {
  @Test("The client does not trust the certificate", arguments: ["1.2", "1.3"])
  func distrusted(version: String) async throws {
    let server = try await TestServer()
    let curl = try await Program.run("curl", "-s", "--http2", "--tls-max", version, server.url)
    #expect(curl.status == 60)
    let kind = await server.sink.nextTrouble()
    guard case .handshake(.distrusted) = kind else {
      Issue.record("\(String(describing: kind))")
      return
    }
  }

  @Test("Plain HTTP") func plain() async throws {
    let server = try await TestServer()
    _ = try await Program.run("curl", "-s", "http://127.0.0.1:\(server.port)/")
    #expect(await server.sink.nextTrouble() == .handshake(.plainHTTP1))
    _ = try await Program.run("curl", "-s", "--http2-prior-knowledge", "http://127.0.0.1:\(server.port)/")
    #expect(await server.sink.nextTrouble() == .handshake(.plainHTTP2))
  }

  @Test("Something that is not TLS at all") func garbage() async throws {
    let server = try await TestServer()
    let socket = try PlainSocket(port: server.port)
    socket.send(Array("\u{1}\u{2}\u{3} hello".utf8))
    #expect(await server.sink.nextTrouble() == .handshake(.notTLS))
    #expect(await socket.readToEnd() == [])
  }

  @Test("A record that begins like TLS and is garbage") func almostTLS() async throws {
    let server = try await TestServer()
    let socket = try PlainSocket(port: server.port)
    socket.send([22, 3, 1, 0, 5, 99, 99, 99, 99, 99])
    guard case .handshake = await server.sink.nextTrouble() else {
      Issue.record("not reported")
      return
    }
    #expect(await socket.readToEnd().first == 21)  // an alert
  }

  @Test("TLS 1.1") func old() async throws {
    let server = try await TestServer()
    _ = try await Program.run(
      "openssl", "s_client", "-tls1_1", "-cipher", "ALL:@SECLEVEL=0", "-connect", "127.0.0.1:\(server.port)")
    #expect(await server.sink.nextTrouble() == .handshake(.versionTooOld))
  }

  @Test("No cipher suite in common") func noCipher() async throws {
    let server = try await TestServer()
    _ = try await Program.run(
      "openssl", "s_client", "-tls1_2", "-cipher", "AES128-SHA", "-connect", "127.0.0.1:\(server.port)")
    #expect(await server.sink.nextTrouble() == .handshake(.noSharedCipher))
  }

  @Test("A client that connects and sends nothing; one that closes during the handshake")
  func halfHandshake() async throws {
    let server = try await TestServer { $0.limits.handshake = .milliseconds(100) }
    let silent = try PlainSocket(port: server.port)
    #expect(await server.sink.nextTrouble() == .handshake(.timedOut))
    #expect(await silent.readToEnd() == [])
    let patient = try await TestServer()
    let leaving = try PlainSocket(port: patient.port)
    leaving.send([22, 3, 1, 2, 0, 1])
    leaving.close()
    #expect(await patient.sink.nextTrouble() == .handshake(.abandoned))
  }

  @Test(
    "A client without a complete preface is disconnected when the time for the handshake is over",
    .setting("wire.handshakeTimeout"),
    arguments: [
      [], Array(Bytes.preface[..<12]), Bytes.preface, Bytes.preface + Bytes.frame(4, [0, 4, 0, 0, 0, 0])[..<10],
    ])
  func halfPreface(bytes: [UInt8]) async throws {
    let shaken = try await inTime { time -> (TestServer, FrameClient)? in
      let server = try await TestServer { $0.limits.handshake = time }
      let client = try FrameClient(port: server.port)
      let isShaken = await aside {
        guard client.blockingShakeHands() == nil else { return false }
        if !bytes.isEmpty { client.send(bytes) }
        return true
      }
      return isShaken ? (server, client) : nil
    }
    let (server, client) = try #require(shaken)
    #expect(await server.sink.nextTrouble() == .handshake(.noPreface))
    #expect(await server.sink.nextClosed() == .trouble)
    client.close()
  }

  @Test("Once it is greeted, a connection may be idle for longer than a handshake may take") func greeted() async throws
  {
    let greeted = try await inTime { time -> (TestServer, FrameClient)? in
      let server = try await TestServer { $0.limits.handshake = time }
      guard let (client, _) = try? await FrameClient.greeted(port: server.port) else { return nil }
      return (server, client)
    }
    let (server, client) = try #require(greeted)
    // Another connection's time, which begins later, passes first.
    let other = try PlainSocket(port: server.port)
    #expect(await server.sink.nextTrouble() == .handshake(.timedOut))
    client.ping("12345678")
    #expect(try await client.nextFrame().text == "12345678")
    other.close()
  }

  @Test("HTTP/1.1 over TLS") func http1() async throws {
    let server = try await TestServer()
    let curl = try await Program.run("curl", "-sk", "--http1.1", server.url)
    #expect(curl.status != 0)
    #expect(await server.sink.nextTrouble() == .http1)
    #expect(await server.sink.nextClosed() == .trouble)
  }

  @Test("Bytes that are not HTTP/2 over TLS get SETTINGS and GOAWAY") func preface() async throws {
    let server = try await TestServer()
    let client = try await Program.run(
      "openssl", "s_client", "-quiet", "-ign_eof", "-connect", "127.0.0.1:\(server.port)", input: Array("hello".utf8))
    #expect(client.output.suffix(17).starts(with: [0, 0, 8, 7]))
    #expect(await server.sink.nextTrouble() == .badPreface(firstBytes: Array("hello".utf8)))
  }

  @Test("Streams opened and reset in endless sequence") func flood() async throws {
    let server = try await TestServer()
    // nghttp2 allows 1,000 and 33 a second: these are too many even for a machine that takes minutes for them.
    let client = try await Program.run(
      "openssl", "s_client", "-quiet", "-ign_eof", "-connect", "127.0.0.1:\(server.port)",
      input: Bytes.burst(8000, resets: true))
    #expect(client.output.suffix(17).starts(with: [0, 0, 8, 7]))
    guard case .flooded = await server.sink.nextTrouble() else {
      Issue.record("not reported")
      return
    }
  }

  @Test("One connection above the limit") func tooMany() async throws {
    let server = try await TestServer {
      $0.limits.connections = 1
      // Not the handshake's time, but the client ends the first connection, on a busy machine too.
      $0.limits.handshake = .seconds(600)
    }
    let first = try PlainSocket(port: server.port)
    let second = try PlainSocket(port: server.port)
    #expect(await server.sink.nextTrouble() == .tooManyConnections(limit: 1))
    #expect(await second.readToEnd() == [])
    first.close()
    #expect(await server.sink.nextTrouble() == .handshake(.abandoned))
  }

  @Test("An idle connection gets a GOAWAY with the reason and is closed") func idle() async throws {
    let server = try await TestServer {
      $0.limits.idle = .milliseconds(150)
      $0.limits.idleDebug = Array("IdleTimeout".utf8)
    }
    let client = try await Program.run(
      "openssl", "s_client", "-quiet", "-ign_eof", "-connect", "127.0.0.1:\(server.port)", input: Bytes.burst(1))
    #expect(client.output.suffix(11).elementsEqual("IdleTimeout".utf8))
    #expect(await server.sink.nextTrouble() == .idle)
    #expect(await server.sink.nextClosed() == .idle)
  }

  @Test(
    "A client that gives its answers no window is disconnected, however many PINGs it sends",
    .setting("wire.writeStall")
  )
  func neverWidens() async throws {
    let server = try await TestServer {
      $0.limits.writeStall = .milliseconds(300)
    } answer: {
      $1.respond($0.stream, .init(status: 400, fields: .init(), body: Array("{}".utf8)))
    }
    let (client, _) = try await FrameClient.greeted(port: server.port, settings: [0, 4, 0, 0, 0, 0])
    client.post(1)
    let pings = Task {
      while !Task.isCancelled {
        client.ping("12345678")
        try? await Task.sleep(for: .milliseconds(20))
      }
    }
    #expect(await server.sink.nextTrouble() == .neverReads)
    #expect(await server.sink.nextClosed() == .trouble)
    pings.cancel()
  }

  @Test("A client that reads its answers slowly is not disconnected") func slowlyWidens() async throws {
    let heard = try await inTime { time in
      let heard = try await slowAnswer(stall: time)
      return heard.allSatisfy { if case .frame = $0 { true } else { false } } ? heard : nil
    }
    for (index, one) in try #require(heard).enumerated() {
      guard case .frame(let frame) = one else { continue }
      #expect(frame.kind == .data && frame.payload.count == 1 && frame.ends == (index == 9))
    }
  }

  /// Frames for a client that makes room for one byte after another. Ten of its pauses are longer than the time it may
  /// take nothing, and each is much shorter.
  ///
  /// On a thread of its own: in the pool of the tests its pauses would last as long as that is busy.
  private func slowAnswer(stall: Duration) async throws -> [FrameClient.Heard] {
    let server = try await TestServer {
      $0.limits.writeStall = stall
    } answer: {
      $1.respond($0.stream, .init(status: 400, fields: .init(), body: Array("0123456789".utf8)))
    }
    let (client, _) = try await FrameClient.greeted(port: server.port, settings: [0, 4, 0, 0, 0, 0])
    let pause = UInt32(stall / .microseconds(8))
    return await aside {
      client.post(1)
      guard case .frame(let head) = client.blockingNext(), head.kind == .headers else { return [.silence] }
      return (0..<10).map { _ in
        usleep(pause)
        client.send(Bytes.frame(8, stream: 1, Bytes.number(1)))
        return client.blockingNext()
      }
    }
  }

  @Test("A client that never reads is disconnected, and others are served meanwhile") func neverReads() async throws {
    let server = try await TestServer {
      $0.loops = 1
      $0.session.announcedStreams = 1000
      $0.limits.writeStall = .milliseconds(300)
      $0.limits.unwritten = 64 * 1024
    } answer: { request, effects in
      let body = request.request.fields[":method"] == "POST" ? [UInt8](repeating: 0x78, count: 16_000) : []
      effects.respond(request.stream, .init(status: 400, fields: .init(), body: body))
    }
    // Its output is a pipe that nobody reads: once that is full, it stops reading the socket.
    let client = try Program(
      ["openssl", "s_client", "-quiet", "-connect", "127.0.0.1:\(server.port)"], input: Bytes.burst(900))
    _ = try #require(await server.sink.nextReceived())
    let curl = try await Program.run(
      "curl", "-sk", "--http2", "-o", "/dev/null", "-w", "%{http_code}", server.url)
    #expect(curl.text == "400")
    #expect(await server.sink.nextTrouble() == .neverReads)
    client.stop()
    _ = await client.end()
  }
}
