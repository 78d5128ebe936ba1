import Dispatch
import TestSupport
import Testing
import Transport

@Suite("Calls of apps stay within their bounds", .timeLimit(.minutes(15))) struct CallBoundTests {
  @Test("No more connections than allowed, and they serve all calls", .setting("reports.connections"))
  func connections() async throws {
    let released = DispatchSemaphore(value: 0)
    let server = try WebServer { _ in
      released.wait()
      return .answer(200)
    }
    let phones = try Phones { $0.connections = 4 }
    phones.start(1...40, server.url)
    // All four are held at once, so four is not only the most but reached.
    #expect(Set(await server.requests(4).map(\.connection)).count == 4)
    for _ in 1...40 { released.signal() }
    let ends = await phones.ends(40)
    #expect(ends.allSatisfy { $0.answer?.status == 200 })
    #expect(server.accepted == 4)
  }

  @Test("A host that does not answer delays only its own calls") func hosts() async throws {
    let silent = try WebServer { _ in .silence }
    let server = try WebServer { _ in .answer(200) }
    let phones = try Phones {
      $0.connections = 3
      $0.connectionsPerHost = 2
    }
    phones.start(1...10, silent.url)
    #expect(await silent.requests(2).count == 2)
    phones.start(11...20, server.url)
    #expect(Set(await phones.ends(10).map(\.number)) == Set(11...20))
    #expect(silent.accepted == 2)
  }

  @Test("A call that finds the queue full fails at once; ended calls make room", .setting("reports.queue"))
  func queue() async throws {
    let released = DispatchSemaphore(value: 0)
    let server = try WebServer { _ in
      released.wait()
      return .answer(200)
    }
    let phones = try Phones {
      $0.connections = 2
      $0.queue = 3
    }
    phones.start(1...10, server.url)
    let full = await phones.ends(5)
    #expect(full.map(\.number) == Array(6...10))
    #expect(full.allSatisfy { $0.failure?.kind == .queueFull })
    #expect(full.first?.failure?.description.contains("127.0.0.1:\(server.port)") == true)
    for _ in 1...10 { released.signal() }
    #expect(Set(await phones.ends(5).compactMap { $0.answer == nil ? nil : $0.number }) == Set(1...5))
    phones.start(11...15, server.url)
    #expect(await phones.ends(5).allSatisfy { $0.answer != nil })
  }

  @Test("The time of a call includes its wait for a connection") func waiting() async throws {
    let server = try WebServer { _ in .silence }
    let phones = try Phones { $0.connections = 1 }
    phones.start(1...1, server.url)
    #expect(await server.requests(1).count == 1)
    phones.start(2...3, server.url, timeout: .milliseconds(30))
    let ends = await phones.ends(2)
    #expect(ends.map(\.failure?.kind) == [.timedOut, .timedOut])
    #expect(ends.first?.failure?.description.contains("waited 30ms for a free connection") == true)
    #expect(server.requests.count == 1)
  }

  @Test(
    "An answer of the allowed length is accepted, one byte more is not, announced or not", arguments: [false, true])
  func size(chunked: Bool) async throws {
    let server = try WebServer { request in
      let body = String(repeating: "x", count: Int(request.target.dropFirst()) ?? 0)
      let chunk = String(body.utf8.count, radix: 16)
      return chunked
        ? .bytes("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\(chunk)\r\n\(body)\r\n0\r\n\r\n")
        : .answer(200, body: body)
    }
    let phones = try Phones { $0.largestAnswer = 100_000 }
    #expect(await phones.get(server.url + "100000")?.answer?.body.count == 100_000)
    let failure = await phones.get(server.url + "100001")?.failure
    #expect(failure?.kind == .tooLarge)
    #expect(
      failure?.description == "127.0.0.1:\(server.port) answered with status 200 and more than 100000 bytes")
    #expect(await phones.get(server.url + "1")?.text == "x")
  }

  @Test("Invalid bounds are refused") func invalid() {
    for change in [
      { $0.connections = 0 }, { $0.connectionsPerHost = -1 }, { $0.queue = -1 }, { $0.largestAnswer = 0 },
      { $0.allowedHosts = ["http://x"] }, { $0.addresses = ["x"] },
    ] as [(inout AppCallerOptions) -> Void] {
      #expect(throws: AppCallerFailure.self) { try Phones(change) }
    }
  }
}
