import HTTP2
import Testing
import WireFormats

@Suite("A request arrives") struct ArrivalTests {
  private let body = #"{"aps":{"alert":"Hello"}}"#

  @Test("Its fields come in order, its body after them") func whole() throws {
    let server = Server.greeted()
    server.receive(.headers(1, .post + [("apns-topic", "com.example")], ends: false), .data(1, body))
    let request = try #require(server.requests.first?.request)
    #expect(request.fields.list.map(\.name) == [":method", ":scheme", ":path", ":authority", "apns-topic"])
    #expect(request.fields["apns-topic"] == "com.example")
    #expect(Array(request.body) == Array(body.utf8))
  }

  @Test("One byte at a time gives the same request") func byteByByte() throws {
    let client = Client()
    client.post("/3/device/00", fields: [("apns-push-type", "alert")], body: body)
    let bytes = client.output()
    let (atOnce, inBits) = (Server(), Server())
    atOnce.receive(bytes)
    for byte in bytes { inBits.receive([byte]) }
    #expect(inBits.requests.map(\.request) == atOnce.requests.map(\.request))
    #expect(inBits.requests.count == 1)
  }

  @Test("Padding of HEADERS and DATA is not part of it") func padding() throws {
    let server = Server.greeted()
    server.receive(
      Frame(
        kind: .headers, flags: Frame.endHeaders | Frame.padded, stream: 1,
        payload: [9] + Frame.block(.post) + [UInt8](repeating: 0, count: 9)),
      Frame(
        kind: .data, flags: Frame.endStream | Frame.padded, stream: 1,
        payload: [200] + Array(body.utf8) + [UInt8](repeating: 0, count: 200)))
    let request = try #require(server.requests.first?.request)
    #expect(request.fields.list.count == 4)
    #expect(Array(request.body) == Array(body.utf8))
  }

  @Test("A header block cut into CONTINUATIONs, in the middle of a field") func continuation() throws {
    let server = Server.greeted()
    let block = Frame.block(.post + [("apns-topic", "com.example.app")])
    server.receive(
      Frame(kind: .headers, stream: 1, payload: Array(block[..<7])),
      Frame(kind: .continuation, stream: 1, payload: Array(block[7..<60])),
      Frame(kind: .continuation, flags: Frame.endHeaders, stream: 1, payload: Array(block[60...])),
      .data(1, body))
    #expect(server.requests.first?.request.fields["apns-topic"] == "com.example.app")
  }

  @Test("Trailers end it and are not part of it") func trailers() throws {
    let server = Server.greeted()
    server.receive(
      .headers(1, .post, ends: false), .data(1, body, ends: false), .headers(1, [("checksum", "1")], ends: true))
    let request = try #require(server.requests.first?.request)
    #expect(request.fields.list.count == 4)
    #expect(Array(request.body) == Array(body.utf8))
  }

  @Test("`host` replaces `:authority`, and content-length is not required") func host() {
    let server = Server.greeted()
    let fields: [(String, String)] = [
      (":method", "POST"), (":scheme", "https"), (":path", "/3/device/00"), ("host", "api.push.apple.com"),
    ]
    server.receive(.headers(1, fields, ends: false), .data(1, body))
    #expect(server.requests.first?.request.fields["host"] == "api.push.apple.com")
  }

  @Test("A value with spaces around it is handed over unchanged") func spaces() {
    let server = Server.greeted()
    server.receive(.headers(1, .post + [("authorization", " bearer x ")], ends: true))
    #expect(server.requests.first?.request.fields["authorization"] == " bearer x ")
  }

  @Test("Requests with interleaved frames are kept apart") func interleaved() {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: false), .headers(3, .post, ends: false))
    server.receive(.data(1, "a", ends: false), .data(3, "b", ends: false), .data(1, "c"), .data(3, "d"))
    #expect(server.requests.map(\.stream) == [1, 3])
    #expect(server.requests.map { Array($0.request.body) } == [Array("ac".utf8), Array("bd".utf8)])
  }

  @Test("A body over the limit is cut one byte beyond it, and the window is still given back")
  func bodyLimit() throws {
    let server = Server.greeted { $0.bodyLimit = 5000 }
    server.receive(.headers(1, .post, ends: false))
    for _ in 0..<10 { server.receive(.data(1, String(repeating: "x", count: 10_000), ends: false)) }
    server.receive(.data(1, "x"))
    let request = try #require(server.requests.first?.request)
    #expect(request.bodyCount == 5001)
    #expect(server.frames().contains { $0.kind == .windowUpdate && $0.stream == 0 })
    #expect(server.session.failure == nil)
  }

  @Test("A body at the limit is complete") func bodyAtLimit() {
    let server = Server.greeted { $0.bodyLimit = 5000 }
    server.receive(.headers(1, .post, ends: false), .data(1, String(repeating: "x", count: 5000)))
    #expect(server.requests.first?.request.bodyCount == 5000)
  }
}
