import Simulation
import Testing
import Timeline
import WireFormats

@testable import Admin

@Suite("A provider token that is checked")
struct ProviderTokenTests {
  private func check(_ office: inout Office, _ token: String) -> JSONValue {
    office.post("/v1/provider-tokens/check", ["token": .string(token)]).json
  }

  @Test("a checked provider token passes, or gets the error that a push with it would get")
  func verdict() {
    var office = Office()
    #expect(check(&office, "nonsense")["reason"] == "InvalidProviderToken")
    #expect(check(&office, "")["passes"] == .bool(false))
    #expect(office.post("/v1/provider-tokens/check", [:]).field == "token")
    #expect(office.post("/v1/provider-tokens/check", ["token": "a", "environment": "moon"]).field == "environment")
  }

  /// Observed: AndrewBarba/apns2 issue 4; one sentence for all mistakes helped nobody to find theirs.
  @Test("a checked provider token gets the sentence that names its mistake")
  func mistake() {
    var office = Office()
    let token = { (header: String, claims: String) in
      [Array(header.utf8), Array(claims.utf8), [UInt8](repeating: 0, count: 64)].map { Base64URL.encode($0) }
        .joined(separator: ".")
    }
    let now = Office.noon.seconds
    for (text, words) in [
      (token(#"{"alg":"ES256"}"#, #"{"iss":"PUSHPIT001","iat":\#(now)}"#), "no kid"),
      (token(#"{"alg":"HS256","kid":"ABCDE12345"}"#, #"{"iss":"PUSHPIT001","iat":\#(now)}"#), "HS256"),
      (token(#"{"alg":"ES256","kid":"PUSHPIT001"}"#, #"{"iss":"ABCDE12345","iat":\#(now)}"#), "exchanged"),
      (token(#"{"alg":"ES256","kid":"ABCDE12345"}"#, #"{"iss":"PUSHPIT001","iat":\#(now)000}"#), "milliseconds"),
    ] {
      let answer = check(&office, text)
      #expect(answer["sentence"]?.string?.contains(words) == true, "\(answer.text)")
    }
  }

  @Test("a checked provider token leaves no trace")
  func trace() {
    var office = Office()
    let before = office.ask("GET", "/metrics").text
    _ = check(&office, "nonsense")
    #expect(office.ask("GET", "/metrics").text == before)
    #expect(office.get("/v1/pushes")["pushes"]?.elements?.isEmpty == true)
  }
}
