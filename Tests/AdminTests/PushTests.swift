import APNs
import Testing
import WireFormats

@testable import Admin

@Suite("The ledger over the admin API")
struct PushTests {
  static let id = "0b0e5e1c-0000-4000-8000-00000000c0de"

  /// S18: 200 is acceptance, and says so.
  @Test("the ledger shows an accepted push with its request and its answer")
  func accepted() {
    var office = Office()
    let token = office.token("d3")
    office.push(token, id: Self.id)
    let push = office.get("/v1/pushes/\(Self.id.uppercased())")
    #expect(push["sequence"] == 1 && push["receivedAt"] == "2026-03-01T12:00:00.000Z" && push["connection"] == 1)
    #expect(push["request"]?["method"] == "POST" && push["request"]?["path"]?.string == "/3/device/\(token)")
    #expect(push["request"]?["body"] == #"{"aps":{"alert":"hello"}}"# && push["request"]?["bodyEncoding"] == "utf8")
    #expect(push["request"]?["bodyBytes"] == 25)
    #expect(push["answer"]?["status"] == 200 && push["answer"]?["body"] == "" && push["apnsId"]?.string == Self.id)
    #expect(push["answer"]?["headers"]?.elements?.first == ["name": "apns-id", "value": .string(Self.id)])
    #expect(push["sent"] == ["as": "answer", "status": 200, "at": "2026-03-01T12:00:00.000Z"])
    #expect(push["provider"] == ["keyId": "ABCDE12345", "teamId": "PUSHPIT001"])
    #expect(push["device"] == "d3" && push["app"] == "com.example.app" && push["tokenKind"] == "device")
    #expect(push["answer"]?["decision"] == "accepted" && push["fate"] == "Received by APNs, Delivered to Device")
    #expect(push["why"]?["rule"] == .null && push["why"]?["sentence"]?.string?.contains("200. Delivered to d3") == true)
  }

  @Test("the ledger cuts the signature off the provider token and shows the rest decoded")
  func noCredential() {
    var office = Office()
    office.push(office.token("d3"))
    let response = office.ask("GET", "/v1/pushes")
    let signature = office.providerToken.split(separator: ".")[2]
    #expect(!response.text.contains(signature))
    let request = response.json["pushes"]?.elements?.first?["request"]
    #expect(request?["providerToken"]?["header"] == ["alg": "ES256", "kid": "ABCDE12345"])
    #expect(request?["providerToken"]?["claims"]?["iss"] == "PUSHPIT001")
    let shown = request?["headers"]?.elements?.first { $0["name"] == "authorization" }?["value"]?.string
    #expect(shown?.hasPrefix("bearer ey") == true && shown?.hasSuffix(".…") == true)
  }

  @Test(
    "the ledger shows the useful parts of an authorization, and no credential",
    arguments: [
      ("bearer a.b.c", "bearer a.b.…"), ("Bearer a.b.c.d", "Bearer a.b.…"), ("a.b.c", "a.b.…"),
      ("bearer a.b", "bearer a.b"),
      ("bearer ", "bearer "), ("Basic dXNlcjpwYXNz", "Basic …"), ("secret", "secret"), ("", ""), ("..", "..…"),
    ])
  func cut(value: String, shown: String) { #expect(RedactedToken.cut(value) == shown) }

  /// S20: a refusal can be asked which rule it was.
  @Test("the ledger shows a refused push with its rule")
  func refused() {
    var office = Office()
    office.push(String(repeating: "0", count: 64))
    office.push(office.token("d3"), authorization: .some(nil))
    let pushes = office.get("/v1/pushes")["pushes"]?.elements ?? []
    #expect(pushes.map { $0["reason"]?.string } == ["MissingProviderToken", "BadDeviceToken"])
    #expect(pushes.first?["provider"] == .null && pushes.first?["request"]?["providerToken"] == .null)
    #expect(pushes.last?["device"] == .null && pushes.last?["apnsUniqueId"] == .null)
    #expect(pushes.first?["fate"] == "Refused by APNs" && pushes.first?["answer"]?["decision"] == "refused")
    let why = pushes.last?["why"]
    #expect(why?["rule"] == "deviceTokenKnown" && why?["evidence"] == "documented")
    #expect(why?["sentence"]?.string == Rule.deviceTokenKnown.sentence)
    #expect(pushes.last?["answer"]?["body"] == #"{"reason":"BadDeviceToken"}"#)
  }

  @Test("the ledger shows the fate of an accepted push")
  func fates() {
    var office = Office(budget: Office.prompt)
    func why() -> String { office.newestPush()?["why"]?["sentence"]?.string ?? "" }
    let topic = "com.example.app.push-type.liveactivity"
    let start = #"""
      {"aps":{"timestamp":1900000000,"event":"start","attributes-type":"MatchAttributes","attributes":{},
      "content-state":{},"alert":{"title":"Go"}}}
      """#
    office.push(office.startToken("d3"), topic: topic, body: Array(start.utf8))
    let activity = office.install("d3")?["activities"]?.elements?.first
    #expect(activity?["startedBy"] == "push" && why().contains(activity?["id"]?.string ?? "-"))
    #expect(office.newestPush()?["reaction"]?["outcome"] == "started")
    office.push(office.startToken("d3"), topic: topic, body: Array(#"{"aps":{"event":"start"}}"#.utf8))
    #expect(why().contains("which dropped it silently (no-alert-configuration)"))
    #expect(office.newestPush()?["reaction"]?["cause"] == "no-alert-configuration")
    let update = activity?["updateToken"]?.string ?? ""
    let news = #"{"aps":{"timestamp":1900000001,"event":"update","content-state":{"home":1}}}"#
    office.push(update, topic: topic, body: Array(news.utf8))
    #expect(why().contains("its content-state was not checked"))
    let screen = office.get("/v1/devices/d3/screen")["lockScreen"]?.elements?.first
    #expect(screen?["state"] == "active" && screen?["contentState"] == ["home": 1])
    office.push(update, topic: topic, body: Array(#"{"aps":{"timestamp":1900000002,"event":"end"}}"#.utf8))
    #expect(why().contains("it ended the activity"))
    office.push(update, topic: topic)
    #expect(why().contains("The activity has ended"))
    let token = office.token("d4")
    _ = office.act("d4", ["do": "uninstall"])
    office.push(token)
    #expect(why().contains("app was deleted") && office.newestPush()?["answer"]?["decision"] == "accepted")
    _ = office.act("d5", ["do": "goOffline"])
    office.push(office.token("d5"))
    #expect(why().contains("offline") && office.newestPush()?["fate"] == "Received by APNs, Stored - Device Offline")
  }

  /// S22: 410 with a timestamp once APNs knows. S51: an update token lives for eight hours.
  @Test("the ledger shows 410 with its timestamp, after the clock was moved")
  func gone() {
    var office = Office()
    _ = office.act("d3", ["do": "startActivity"])
    let token = office.install("d3")?["activities"]?.elements?.first?["updateToken"]?.string ?? ""
    #expect(office.post("/v1/clock", ["advance": "8h"]).status == 200)
    office.push(token, topic: "com.example.app.push-type.liveactivity")
    let push = office.newestPush()
    #expect(push?["reason"] == "ExpiredToken" && push?["answer"]?["status"] == 410)
    #expect(push?["answer"]?["body"] == #"{"reason":"ExpiredToken","timestamp":1772395200000}"#)
    #expect(push?["tokenKind"] == "update" && push?["why"]?["rule"] == "deviceTokenNotExpired")
  }

  /// S23: too many requests for one activity.
  @Test("the ledger shows 429 and its rule")
  func tooMany() {
    var office = Office()
    _ = office.act("d3", ["do": "startActivity"])
    let token = office.install("d3")?["activities"]?.elements?.first?["updateToken"]?.string ?? ""
    for _ in 0..<11 { office.push(token, topic: "com.example.app.push-type.liveactivity") }
    #expect(office.newestPush()?["reason"] == "TooManyRequests")
    #expect(office.newestPush()?["why"]?["rule"] == "requestRate")
  }

  @Test(
    "the ledger shows a body that is not text in base64",
    arguments: [([0xFF, 0x00, 0xFE], "/wD+"), ([0xFB], "+w=="), ([0xFF, 0xFF], "//8=")])
  func base64(body: [UInt8], text: String) {
    var office = Office()
    office.push(office.token("d3"), body: body)
    let request = office.newestPush()?["request"]
    #expect(request?["body"]?.string == text && request?["bodyEncoding"] == "base64")
    #expect(request?["bodyBytes"]?.integer == Int64(body.count))
  }

  @Test("the ledger is newest first, in pages, and can be narrowed")
  func list() {
    var office = Office()
    let (first, second) = (office.token("d1"), office.token("d2"))
    for token in [first, second, String(repeating: "0", count: 64), first] { office.push(token) }
    office.push(first, id: Self.id, authorization: .some(nil))
    func sequences(_ query: String) -> [Int64] {
      (office.get("/v1/pushes?\(query)")["pushes"]?.elements ?? []).compactMap { $0["sequence"]?.integer }
    }
    #expect(sequences("") == [5, 4, 3, 2, 1])
    #expect(sequences("status=400") == [3] && sequences("reason=MissingProviderToken") == [5])
    #expect(sequences("device=d2") == [2] && sequences("device=d99").isEmpty)
    #expect(sequences("topic=com.example.app").count == 5 && sequences("environment=production").isEmpty)
    #expect(sequences("apnsId=\(Self.id)") == [5])
    let page = office.get("/v1/pushes?limit=2")
    #expect(page["next"] == "4" && sequences("limit=2&cursor=4") == [3, 2] && sequences("limit=2&cursor=2") == [1])
    #expect(office.get("/v1/pushes?limit=2&cursor=2")["next"] == .null)
  }

  @Test("the ledger reports an invalid id, and an unknown id")
  func unknown() {
    var office = Office(pushLog: 1)
    office.push(office.token("d3"), id: Self.id)
    office.push(office.token("d3"))
    let forgotten = office.ask("GET", "/v1/pushes/\(Self.id)")
    #expect(forgotten.status == 404 && forgotten.field == "apnsId")
    #expect(office.ask("GET", "/v1/pushes/nonsense").status == 400)
  }
}
