import APNs
import Simulation
import Synchronization
import Testing
import WireFormats

@testable import Admin

@Suite("Provider keys and certificates in the admin API")
struct CredentialTests {
  /// Keeps no files: what is asked of it becomes orders.
  private final class Folder: ProviderCredentials {
    let keys = Mutex<[String]>([])

    func addKey(_ request: KeyRequest) throws(CommandProblem) -> [Command] {
      let key = ProviderKey(
        keyID: request.keyID ?? "RANDOM0001", teamID: request.teamID ?? "PUSHPIT001", environments: [.sandbox])
      return [.addKey(key, publicKey: "MFkw")]
    }
    func revokeKey(_ keyID: String) throws(CommandProblem) -> [Command] { [.revokeKey(keyID)] }
    func reloadKeys() throws(CommandProblem) -> [Command] { [.revokeKey("ABCDE12345")] }
    func certificates() throws(CommandProblem) -> [JSONValue] { ["one"] }
    func addCertificate(_ request: CertificateRequest) throws(CommandProblem) -> JSONValue {
      switch request {
      case .register(let pem): ["registered": .string(pem)]
      case .make(let kind, let topic): ["kind": .string(kind), "topic": JSONValue(topic)]
      }
    }
    func revokeCertificate(_ fingerprint: String) throws(CommandProblem) -> (fingerprint: String, orders: [Command]) {
      guard fingerprint == "aa11" else { throw CommandProblem(.unknown, "fingerprint", "No certificate has it.") }
      return ("aa11bb22", [.revokeCertificate("aa11bb22")])
    }
  }

  private func office() -> Office {
    var office = Office()
    office.desk = AdminService(
      version: "0.1.0",
      server: {
        var description = ServerDescription()
        description.credentials = Folder()
        return description
      })
    return office
  }

  private func valid(_ office: Office) -> [String] {
    office.simulator.world.validator.keyRing.valid.map(\.key.keyID)
  }

  @Test("are orders to the world: a key is valid, or not any more, once the request is answered")
  func orders() {
    var office = office()
    #expect(valid(office) == ["ABCDE12345"])
    #expect(office.post("/v1/keys", ["keyId": "NEWKEY0001"]).status == 201)
    #expect(valid(office) == ["ABCDE12345", "NEWKEY0001"])
    #expect(office.ask("DELETE", "/v1/keys/ABCDE12345").json["revoked"] == "ABCDE12345")
    #expect(valid(office) == ["NEWKEY0001"])
    #expect(office.ask("DELETE", "/v1/keys/ABCDE12345").status == 404)
  }

  @Test("a reload reports what it has changed")
  func reload() {
    var office = office()
    let answer = office.post("/v1/keys/reload", [:])
    #expect(answer.status == 200 && answer.json["revoked"] == ["ABCDE12345"] && answer.json["added"] == [])
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

  @Test("certificates are listed, registered, made and revoked")
  func certificates() {
    var office = office()
    #expect(office.get("/v1/certificates")["certificates"] == ["one"])
    #expect(office.post("/v1/certificates", ["pem": "P"]).json["registered"] == "P")
    let made = office.post("/v1/certificates", ["topic": "com.example.app"])
    #expect(made.status == 201 && made.json["kind"] == "universal")
    #expect(office.ask("DELETE", "/v1/certificates/aa11").json["revoked"] == "aa11bb22")
    #expect(office.ask("DELETE", "/v1/certificates/ffff").status == 404)
  }

  @Test("a server without a state folder says that it has none")
  func none() {
    var office = Office()
    #expect(office.post("/v1/keys", [:]).status == 501 && office.ask("GET", "/v1/certificates").status == 501)
  }
}
