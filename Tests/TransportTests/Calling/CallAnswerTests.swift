import Testing
import Transport

@Suite("Calls of apps are answered", .timeLimit(.minutes(15))) struct CallAnswerTests {
  @Test("The request arrives as it was given, with no extra headers") func whole() async throws {
    let server = try WebServer { _ in .answer(201, body: "made", headers: ["Content-Type: text/plain"]) }
    let phones = try Phones()
    let call = AppCall(
      number: 7, method: "POST", url: server.url + "tokens?a=b",
      headers: [("X-App", "com.example"), ("X-Empty", ""), ("content-type", "application/json")], body: Array("{}".utf8)
    )
    let end = try #require(await phones.call(call))
    #expect(end.number == 7)
    #expect(end.answer == AppCall.Response(status: 201, body: Array("made".utf8), contentType: "text/plain"))
    #expect(end.took > .zero)
    let request = try #require(server.requests.first)
    #expect(request.method == "POST" && request.target == "/tokens?a=b" && request.body == Array("{}".utf8))
    #expect(
      request.headers.map { "\($0.name): \($0.value)" }.sorted() == [
        "accept: */*", "content-length: 2", "content-type: application/json", "host: 127.0.0.1:\(server.port)",
        "x-app: com.example", "x-empty: ",
      ])
  }

  @Test(
    "Bodies are sent by every method, empty ones too",
    arguments: [
      ("GET", nil, nil), ("GET", "x", "1"), ("POST", "", "0"), ("PUT", "abc", "3"), ("DELETE", nil, nil),
      ("PATCH", "a\u{0}b", "3"), ("BREW", nil, nil),
    ] as [(String, String?, String?)])
  func methods(method: String, body: String?, length: String?) async throws {
    let server = try WebServer { _ in .answer(200) }
    let phones = try Phones()
    let bytes = body.map { Array($0.utf8) }
    let end = await phones.call(AppCall(number: 1, method: method, url: server.url, body: bytes))
    #expect(end?.answer == AppCall.Response(status: 200, body: [], contentType: nil))
    let request = try #require(server.requests.first)
    #expect(request.method == method && request.body == bytes ?? [] && request["content-length"] == length)
    #expect(request["content-type"] == nil)
  }

  @Test("An answer to HEAD has no body to wait for, whatever its length says") func head() async throws {
    let server = try WebServer { _ in .answer(200, body: String(repeating: "x", count: 1000)) }
    let phones = try Phones { $0.largestAnswer = 10 }
    for number in 1...2 as ClosedRange<UInt64> {
      let end = await phones.call(AppCall(number: number, method: "HEAD", url: server.url))
      #expect(end?.answer == AppCall.Response(status: 200, body: [], contentType: nil))
    }
    #expect(server.accepted == 1)
  }

  @Test("Chunks are joined") func chunks() async throws {
    let server = try WebServer { _ in
      .bytes("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
    }
    let phones = try Phones()
    #expect(await phones.get(server.url)?.text == "abcde")
  }

  @Test("A redirect is an answer, and is not followed", arguments: [301, 302, 307, 308]) func redirect(status: Int)
    async throws
  {
    let elsewhere = try WebServer { _ in .answer(200) }
    let server = try WebServer { _ in .answer(status, headers: ["Location: \(elsewhere.url)"]) }
    let phones = try Phones()
    #expect(await phones.get(server.url)?.answer?.status == status)
    #expect(elsewhere.accepted == 0)
  }

  @Test("One connection serves many calls") func kept() async throws {
    let server = try WebServer { request in .answer(200, body: "\(request.number)") }
    let phones = try Phones()
    for number in 1...50 { #expect(await phones.get(server.url)?.text == "\(number)") }
    #expect(server.accepted == 1)
  }

  @Test("Cookies are not sent back") func cookies() async throws {
    let server = try WebServer { _ in .answer(200, headers: ["Set-Cookie: a=b"]) }
    let phones = try Phones()
    _ = await phones.get(server.url)
    _ = await phones.get(server.url)
    #expect(server.requests.map { $0["cookie"] } == [nil, nil])
  }

  @Test("10,000 calls at once: each is answered once, over 64 connections") func many() async throws {
    let server = try WebServer { request in .answer(200, body: request.target) }
    let phones = try Phones()
    let url = server.url
    phones.caller.start(
      (0..<10_000).map { AppCall(number: $0, method: "GET", url: "\(url)\($0)", timeout: Phones.patience) })
    let ends = await phones.ends(10_000)
    #expect(ends.allSatisfy { $0.text == "/\($0.number)" })
    #expect(Set(ends.map(\.number)).count == 10_000)
    #expect(server.accepted <= 64)
    #expect(await phones.stop().isEmpty)
  }
}
