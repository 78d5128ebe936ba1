import Testing

@testable import PushpitTesting

@Suite("A test with the trait", .pushpit(fleet: 2))
struct TraitTests {
  @Test(
    "a test with the trait has a separate phone: of twelve tests with two phones each sees only its push",
    arguments: 0..<12)
  func ownPhone(number: Int) async throws {
    let phone = try await Pushpit.phone()
    #expect(try await phone.screen().notifications.isEmpty)
    #expect(try await phone.send("Goal \(number)").status == 200)
    #expect(try await phone.screen().notifications.map(\.body) == ["Goal \(number)"])
    let pushes = try await Pushpit.session().pushes()
    #expect(pushes.map { $0.payload["aps"]["alert"].string } == ["Goal \(number)"])
  }

  @Test("a test with the trait has one session, whoever asks for it first")
  func oneSession() async throws {
    async let first = Pushpit.session()
    async let second = Pushpit.session()
    let (one, other) = try await (first, second)
    #expect(one.name == other.name)
    #expect(try await Pushpit.phone().device == one.phone().device)
  }

  @Test("a test may have a separate trait, which replaces that of the suite", .pushpit(fleet: 7))
  func ownTrait() async throws {
    let server = try await Pushpit.server()
    #expect(try await server.phone("d6").state()["id"].string == "d6")
    let error = await #expect(throws: PushpitError.self) { try await server.phone("d7").state() }
    #expect(error?.sentence.contains("d0 to d6") == true)
  }

  @Test("a test with the trait shares a server with tests of the same options")
  func sameServer() async throws {
    let server = try await Pushpit.server()
    let options = ServerOptions(fleet: 2)
    #expect(try await SharedServers.server(options).url == server.url)
    #expect(try await SharedServers.server(ServerOptions(fleet: 7)).url != server.url)
  }

  @Test("the phone of a test meets the criteria of the trait", .pushpit(app: "com.example.store", os: "18"))
  func wishes() async throws {
    let phone = try await Pushpit.phone()
    #expect(try await phone.state()["os"].string?.hasPrefix("18") == true)
    #expect(try await phone.app() == "com.example.store")
    #expect(try await phone.send("Sale").status == 200)
    #expect(try await phone.screen().notifications.map(\.app) == ["com.example.store"])
  }

  @Test(
    "a test with the trait has faults from traits while it runs", .fault(.answer(.tooManyRequests), limit: 1),
    .expect(.pushes(.status(429)), count: 1), .expect(.pushes(.status(200)), count: 1))
  func faults() async throws {
    let phone = try await Pushpit.phone()
    let busy = try await phone.send("Goal!")
    #expect(busy.status == 429 && busy.reason == .tooManyRequests)
    #expect(try await phone.pushes().map(\.apnsID) == [busy.apnsID])
    #expect(try await phone.send("Goal!").status == 200)
    #expect(try await phone.pushes().map(\.status) == [200, 429])
  }

  @Test("a test with the trait moves the clock of its server", .pushpit(fleet: 1, settings: "clock: manual"))
  func clock() async throws {
    let (phone, clock) = (try await Pushpit.phone(), try await Pushpit.server().clock)
    try await phone.do(.startActivity(contentState: ["score": 0]))
    #expect(try await phone.screen().cards.map(\.state) == [.active])
    try await clock.advance(by: .seconds(8 * 3600))
    #expect(try await phone.screen().cards.map(\.state) == [.ended])
    #expect(try await phone.screen().cards[0].contentState["score"].int == 0)
  }
}

@Suite("A test without the trait")
struct NoTraitTests {
  @Test("a test without the trait fails with a sentence that shows how to add it")
  func noTrait() async throws {
    let error = await #expect(throws: PushpitError.self) { try await Pushpit.phone() }
    #expect(error?.kind == .misuse && error?.sentence.contains("@Suite(.pushpit())") == true)
  }

  @Test("a test without the trait cannot have faults and expectations, which would have no effect")
  func lost() async throws {
    let test = try #require(Test.current)
    let fault: any Trait = PushpitFaultTrait.fault(.answer(.tooManyRequests))
    let expectation: any Trait = PushpitExpectationTrait.expect(.pushes(), count: 1)
    for (trait, name) in [(fault, ".fault"), (expectation, ".expect")] {
      let error = await #expect(throws: PushpitError.self) { try await trait.prepare(for: test) }
      #expect(error?.sentence.contains("\(name) is for") == true)
    }
  }
}
