import Testing
import Transport
import WireFormats

@Suite("A relay says who its client is", .timeLimit(.minutes(15))) struct RelayTests {
  private static let certificate = ":" + Base64.encode(der(of: Identity.client.certificate)) + ":"

  private static func request(_ stream: Int, _ certificates: [String]) -> [UInt8] {
    let fields = certificates.reduce(into: [UInt8]([0x83, 0x87, 0x84, 0x01, 0x01, 0x78])) {
      $0 += literal("client-cert") + literal($1)[1...]
    }
    return Bytes.frame(1, flags: 5, stream: stream, fields)
  }

  /// A field's name and, after it, its value, each with its length in a prefix of 7 bits (RFC 7541 section 6.2.2).
  private static func literal(_ text: String) -> [UInt8] {
    let count = text.utf8.count
    var length = [UInt8(min(count, 127))]
    if count >= 127 {
      var rest = count - 127
      while rest >= 128 {
        length.append(UInt8(rest % 128 + 128))
        rest /= 128
      }
      length.append(UInt8(rest))
    }
    return [0] + length + Array(text.utf8)
  }

  private static func der(of pem: String) -> [UInt8] {
    let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
    return Base64.decode(Array(lines.joined().utf8)) ?? []
  }

  private static let greeting = Bytes.preface + Bytes.frame(4, [])

  @Test("A relay names its client by one field, whose certificate is the client's") func one() async throws {
    let server = try await TestServer(ofRelay: true)
    let relay = try PlainSocket(port: server.port)
    relay.send(Self.greeting + Self.request(1, [Self.certificate]))
    #expect(await server.sink.nextOpened()?.tls.clientCertificate?.subject == "CN=provider,O=Pushpit")
  }

  @Test(
    "Two fields in one request end the connection before anybody hears of the request, whoever is named first",
    arguments: [0, 1], [true, false])
  func two(before: Int, isSame: Bool) async throws {
    let server = try await TestServer(ofRelay: true)
    let relay = try PlainSocket(port: server.port)
    let requests = (0..<before).flatMap { Self.request(2 * $0 + 1, [Self.certificate]) }
    let twice = Self.request(2 * before + 1, [Self.certificate, isSame ? Self.certificate : ":eA==:"])
    relay.send(Self.greeting + requests + twice)
    #expect(await server.sink.nextTrouble() == .relay(.twice))
    if before > 0 { #expect(await server.sink.nextClosed() == .trouble) }
    _ = await relay.readToEnd()
  }

  @Test("A relay without a complete preface is disconnected like any client") func halfPreface() async throws {
    let server = try await TestServer({ $0.limits.handshake = .milliseconds(200) }, ofRelay: true)
    let relay = try PlainSocket(port: server.port)
    relay.send(Array(Bytes.preface[..<12]))
    #expect(await server.sink.nextTrouble() == .handshake(.noPreface))
    _ = await relay.readToEnd()
  }
}
