import APNs
import Simulation
import Synchronization
import Testing
import WireFormats
@testable import Admin
@testable import Scenarios

@Suite("Provider keys and certificates in the admin API")
struct CredentialTests {
  /// Keeps no files: what is asked of it becomes orders.
  private final class Folder: ProviderCredentials {
    private let made = Mutex<[ServerDescription.Key]>([])
    var keys: [ServerDescription.Key] { made.withLock(\.self) }

    func addKey(_ request: KeyRequest, while isAwaited: @escaping StillAwaited) throws(CommandProblem) -> [Command] {
      guard isAwaited() else {
        throw CommandProblem(.busy, field: "keyId", sentence: "Another program is changing the folder.")
      }
      guard request.keyID != "FULL" else {
        throw CommandProblem(.failed, field: "keyId", sentence: "keys.json cannot be written.")
      }
      let key = ProviderKey(
        keyID: request.keyID ?? "RANDOM0001", teamID: request.teamID ?? "PUSHPIT001", environments: [.sandbox])
      made.withLock {
        $0.append(.init(keyID: key.keyID, teamID: key.teamID, environment: "sandbox", topics: [], privateKey: nil))
      }
      return [.addKey(key, publicKey: "MFkw")]
    }
    func revokeKey(_ keyID: String, while isAwaited: @escaping StillAwaited) throws(CommandProblem) -> [Command] {
      [.revokeKey(keyID)]
    }
    func reloadKeys() throws(CommandProblem) -> [Command] { [.revokeKey("ABCDE12345")] }
    private static func certificate(_ name: String, of topic: String? = nil) -> ListedCertificate {
      ListedCertificate(
        "aa11bb22", commonName: name, topics: [topic].compactMap(\.self), environments: [.sandbox], state: .valid,
        file: nil)
    }
    func certificates() throws(CommandProblem) -> [ListedCertificate] { [Self.certificate("one")] }
    func addCertificate(
      _ request: CertificateRequest, while isAwaited: @escaping StillAwaited
    ) throws(CommandProblem) -> ListedCertificate {
      switch request {
      case .register(let pem): Self.certificate(pem)
      case .make(let kind, let topic): Self.certificate(kind, of: topic)
      }
    }
    func revokeCertificate(
      _ fingerprint: String, while isAwaited: @escaping StillAwaited
    ) throws(CommandProblem) -> (fingerprint: String, orders: [Command]) {
      guard fingerprint == "aa11" else {
        throw CommandProblem(.unknown, field: "fingerprint", sentence: "No certificate has it.")
      }
      return ("aa11bb22", [.revokeCertificate("aa11bb22")])
    }
  }

  private func office() -> Office {
    let folder = Folder()
    var office = Office()
    office.desk = AdminService(
      version: "0.1.0",
      server: {
        var description = ServerDescription()
        description.credentials = folder
        description.keys = folder.keys
        return description
      })
    return office
  }

  private func valid(_ office: Office) -> [String] {
    office.simulator.world.validator.keyRing.valid.map(\.key.keyID)
  }

  @Test("keys and certificates are orders to the world: a key is valid, or not any more, once its request is answered")
  func orders() {
    var office = office()
    #expect(valid(office) == ["ABCDE12345"])
    #expect(office.post("/v1/keys", ["keyId": "NEWKEY0001"]).status == 201)
    #expect(valid(office) == ["ABCDE12345", "NEWKEY0001"])
    #expect(office.ask("DELETE", "/v1/keys/ABCDE12345").json == ["deleted": ["ABCDE12345"]])
    #expect(valid(office) == ["NEWKEY0001"])
    #expect(office.ask("DELETE", "/v1/keys/ABCDE12345").status == 404)
  }

  @Test("a state folder that cannot be written is an error of the server, which names no member of the request")
  func failed() {
    var office = office()
    let answer = office.post("/v1/keys", ["keyId": "FULL"])
    #expect(answer.status == 500 && answer.field == nil && answer.json["code"] == "error")
    #expect(answer.json["error"] == "keys.json cannot be written.")
    #expect(valid(office) == ["ABCDE12345"])
  }

  @Test("a reload reports what it has changed")
  func reload() {
    var office = office()
    let answer = office.post("/v1/keys/reload", [:])
    #expect(answer.status == 200 && answer.json["deleted"] == ["ABCDE12345"] && answer.json["added"] == [])
    #expect(valid(office).isEmpty)
  }

  @Test("invalid members are named")
  func invalid() {
    var office = office()
    for (body, field) in [
      (["pem": "x"], "keyId"), (["environment": "moon"], "environment"), (["keyID": "A"], "keyID"),
    ] as [(JSONValue, String)] {
      let answer = office.post("/v1/keys", body)
      #expect(answer.status == 422 && answer.field == field, "\(body.text)")
    }
    for (body, field) in [
      ([:], "topic"), (["kind": "moon"], "kind"), (["pem": 1], "pem"),
    ] as [(JSONValue, String)] {
      let answer = office.post("/v1/certificates", body)
      #expect(answer.status == 422 && answer.field == field, "\(body.text)")
    }
  }

  @Test("a key is limited to at most 1,000 topics")
  func topics() {
    var office = office()
    func body(_ count: Int) -> JSONValue {
      ["keyId": .string("KEY\(count)"), "topics": .array((0..<count).map { .string("a\($0)") })]
    }
    let refused = office.post("/v1/keys", body(1001))
    #expect(refused.status == 422 && refused.field == "topics")
    #expect(refused.error == "topics must be a list of at most 1000 bundle ids.")
    #expect(office.post("/v1/keys", body(1000)).status == 201)
  }

  @Test("certificates are listed, registered, made and revoked")
  func certificates() {
    var office = office()
    #expect(office.get("/v1/certificates")["certificates"]?.strings("commonName") == ["one"])
    #expect(office.post("/v1/certificates", ["pem": "P"]).json["commonName"] == "P")
    let made = office.post("/v1/certificates", ["topic": "com.example.app"])
    #expect(made.status == 201 && made.json["commonName"] == "universal")
    #expect(made.json["topics"] == ["com.example.app"] && made.json["file"] == .null)
    #expect(office.ask("DELETE", "/v1/certificates/aa11").json == ["deleted": ["aa11bb22"]])
    #expect(office.ask("DELETE", "/v1/certificates/ffff").status == 404)
  }

  /// A request that has no place to wait: what is done apart is returned.
  private func apart(_ office: inout Office, _ method: String, _ target: String, _ body: JSONValue = [:])
    -> AdminResponse
  {
    let request = AdminRequest(method: method, target: target, headers: Office.json, body: Array(body.text.utf8))
    let (desk, wall) = (office.desk, office.wall)
    return desk.answer(request) { hold in _ = hold(&office.simulator, wall) }
  }

  @Test(
    "Each request that needs files is done apart, and changes nothing before that",
    arguments: [
      ("GET", "/v1/keys"), ("POST", "/v1/keys"), ("POST", "/v1/keys/reload"), ("DELETE", "/v1/keys/ABCDE12345"),
      ("GET", "/v1/certificates"), ("POST", "/v1/certificates"), ("DELETE", "/v1/certificates/aa11"),
    ])
  func apart(method: String, target: String) throws {
    var office = office()
    let body: JSONValue = target == "/v1/certificates" ? ["topic": "com.example.app"] : [:]
    let work = try #require(apart(&office, method, target, body).apart)
    #expect(valid(office) == ["ABCDE12345"])
    let wall = office.wall
    let answer = work({ true }) { hold in _ = hold(&office.simulator, wall) }
    #expect((200..<300).contains(answer.status) && answer.apart == nil, "\(answer.text)")
    #expect(answer.header("cache-control") == "no-store")
  }

  @Test("A change that is not awaited any more while another program holds the files is 503, and changes nothing")
  func busy() throws {
    var office = office()
    let work = try #require(apart(&office, "POST", "/v1/keys", ["keyId": "NEWKEY0001"]).apart)
    let wall = office.wall
    let answer = work({ false }) { hold in _ = hold(&office.simulator, wall) }
    #expect(answer.status == 503 && answer.json["code"] == "unavailable" && answer.field == nil, "\(answer.text)")
    #expect(valid(office) == ["ABCDE12345"])
  }

  @Test("The answer to HEAD that is done apart has no body")
  func head() throws {
    var office = office()
    let work = try #require(apart(&office, "HEAD", "/v1/keys").apart)
    let wall = office.wall
    let answer = work({ true }) { hold in _ = hold(&office.simulator, wall) }
    #expect(answer.status == 200 && answer.body.isEmpty)
  }

  @Test("Private keys are only for the server's user, or for all if it shares them; nobody is asked without need")
  func owners() throws {
    for (isMade, shares, isOwners) in [
      (true, false, true), (true, false, false), (true, true, false), (false, true, true),
    ] {
      let asked = Mutex(0)
      var office = Office()
      office.desk = AdminService(
        version: "0.1.0",
        server: {
          var server = ServerDescription()
          server.sharesKeys = shares
          server.keys = ["ABCDE12345", "FGHIJ67890"].map {
            .init(
              keyID: $0, teamID: "T", environment: "both", topics: [],
              privateKey: isMade ? { @Sendable in "SECRET" } : nil)
          }
          return server
        })
      let request = AdminRequest(method: "GET", target: "/v1/keys", headers: Office.local, body: []) {
        asked.withLock { $0 += 1 }
        return isOwners
      }
      let answer = office.desk.answer(request, &office.simulator, wall: office.wall).response
      let keys = try #require(answer.json["keys"]?.elements)
      let isGiven = isMade && (shares || isOwners)
      #expect(keys.map { $0["p8"] } == .init(repeating: isGiven ? "SECRET" : .null, count: 2))
      let word = isMade ? "--share-keys" : "did not make"
      for key in keys {
        #expect(isGiven ? key["withheld"] == .null : key["withheld"]?.string?.contains(word) == true, "\(key.text)")
      }
      #expect(asked.withLock { $0 } == (isMade && !shares ? 1 : 0))
    }
  }

  @Test("a server without a state folder reports that it has none")
  func none() {
    var office = Office()
    #expect(office.post("/v1/keys", [:]).status == 501 && office.ask("GET", "/v1/certificates").status == 501)
  }
}
