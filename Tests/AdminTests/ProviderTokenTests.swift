import Simulation
import Testing
import WireFormats

@testable import Admin

@Suite("A provider token that is checked")
struct ProviderTokenTests {
  private func check(_ office: inout Office, _ token: String) -> JSONValue {
    office.post("/v1/provider-tokens/check", ["token": .string(token)]).json
  }

  @Test("passes, or gets the error that a push with it would get")
  func verdict() {
    var office = Office()
    #expect(check(&office, "nonsense")["reason"] == "InvalidProviderToken")
    #expect(check(&office, "")["passes"] == .bool(false))
    #expect(office.post("/v1/provider-tokens/check", [:]).field == "token")
    #expect(office.post("/v1/provider-tokens/check", ["token": "a", "environment": "moon"]).field == "environment")
  }

  @Test("leaves no trace")
  func trace() {
    var office = Office()
    let before = office.ask("GET", "/metrics").text
    _ = check(&office, "nonsense")
    #expect(office.ask("GET", "/metrics").text == before)
    #expect(office.get("/v1/pushes")["pushes"]?.elements?.isEmpty == true)
  }
}
