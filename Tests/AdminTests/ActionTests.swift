import Devices
import Simulation
import Testing
import Timeline
import WireFormats

@testable import Admin
@testable import Scenarios

@Suite("An action")
struct ActionTests {
  /// S46: each activity has an update token of its own.
  @Test("an action starts activities, returns the device and the events that it caused, and sends these to the wire")
  func start() {
    var office = Office()
    let response = office.act("d3", ["do": "startActivity", "attributesType": "RideAttributes"])
    #expect(response.status == 200)
    let activity = response.json["device"]?["apps"]?.elements?.first?["activities"]?.elements?.first
    #expect(activity?["startedBy"] == "command" && activity?["attributesType"] == "RideAttributes")
    // The person unlocks the phone, opens the app, and puts the phone back as it was.
    #expect(
      response.json.eventNames == [
        "unlocked", "screenLit", "appForegrounded", "activityStarted", "activityYielded", "tokenIssued", "tokenYielded",
        "appBackgrounded", "locked", "screenDark",
      ])
    let events = response.json["events"]?.elements ?? []
    let started = events.first { $0["event"] == "activityStarted" }
    let issued = events.first { $0["event"] == "tokenIssued" }
    #expect(started?["activity"] == activity?["id"] && issued?["token"] == activity?["updateToken"])
    #expect(started?["device"] == "d3" && started?["at"] == "2026-03-01T12:00:00.000Z")
    #expect(office.events.count == events.count)

    _ = office.act("d3", ["do": "startActivity"])
    let tokens = office.install("d3")?["activities"]?.elements?.compactMap { $0["updateToken"]?.string }
    #expect(tokens.map { Set($0).count } == 2)
  }

  /// S57: a device token changes with a new install. S31: one push-to-start token per attributes type.
  @Test("an action deletes, installs, rotates, ends, goes offline and reboots")
  func theRest() {
    var office = Office()
    let before = office.token("d5")
    #expect(office.install("d5")?["pushToStart"]?.elements?.count == 2)
    _ = office.act("d5", ["do": "startActivity"])
    #expect(names(office.act("d5", ["do": "endActivity"])) == ["activityEnded", "activityStateYielded"])
    #expect(names(office.act("d5", ["do": "uninstall", "app": "com.example.app"])) == ["appRemoved"])
    let gone = office.install("d5")
    #expect(gone?["installed"] == false && gone?["deviceToken"] == .null && gone?["pushToStart"] == [])
    #expect(names(office.act("d5", ["do": "reboot"])) == ["rebooted"])
    #expect(names(office.act("d5", ["do": "reinstall"])).first == "appInstalled")
    let after = office.token("d5")
    #expect(!after.isEmpty && after != before)
    #expect(names(office.act("d5", ["do": "rotate", "kind": "device"])) == ["tokenIssued", "tokenYielded"])
    #expect(office.token("d5") != after)
    #expect(names(office.act("d5", ["do": "goOffline"])) == ["wentOffline"])
    #expect(office.get("/v1/devices/d5")["online"] == false)
    #expect(names(office.act("d5", ["do": "goOnline"])) == ["wentOnline"])
  }

  private func names(_ response: AdminResponse) -> [String] { response.json.eventNames }

  @Test(
    "an impossible action returns 422 and names the member",
    arguments: [
      ([:], "do"), (["do": 7], "do"), (["do": nil], "do"), (["do": "fly"], "do"), (["do": "goOnline"], "do"),
      (["do": "reinstall"], "do"), (["do": "uninstall", "app": "com.unknown"], "app"),
      (["do": "uninstall", "app": 3], "app"), (["do": "goOffline", "app": "com.example.app"], "app"),
      (["do": "rotate"], "kind"), (["do": "rotate", "kind": "fax"], "kind"),
      (["do": "rotate", "kind": "controls"], "kind"),
      (["do": "rotate", "kind": "device", "activity": "x"], "activity"),
      (["do": "rotate", "kind": "update", "attributesType": "MatchAttributes"], "attributesType"),
      (["do": "startActivity", "attributesType": "Unknown"], "attributesType"),
      (["do": "endActivity", "activity": "nonsense"], "activity"), (["do": "endActivity"], "activity"),
      (["do": "reboot", "ap": "x"], "ap"),
    ] as [(JSONValue, String)])
  func notPossible(order: JSONValue, field: String) {
    var office = Office()
    let before = office.get("/v1/devices/d3")
    let response = office.act("d3", order)
    #expect(response.status == 422 && response.field == field && !response.error.isEmpty)
    #expect(office.get("/v1/devices/d3") == before)
    #expect(office.events.isEmpty)
  }

  @Test(
    "an action without a JSON body returns 400, and one whose body is not an object 422",
    arguments: [("", 400), ("{", 400), ("nonsense", 400), ("{} {}", 400), ("[]", 422), ("\"reboot\"", 422), ("7", 422)])
  func body(text: String, status: Int) {
    var office = Office()
    let response = office.ask("POST", "/v1/devices/d3/actions", headers: Office.json, body: Array(text.utf8))
    #expect(response.status == status && !response.error.isEmpty && response.field == nil)
  }

  @Test(
    "an action of another content type returns 415, so that a form on a web page cannot send actions",
    arguments: [
      ("application/json", 200), ("application/json; charset=utf-8", 200), ("Application/JSON", 200),
      ("application/merge-patch+json", 200), ("text/plain", 415), ("application/x-www-form-urlencoded", 415),
      ("multipart/form-data; boundary=x", 415), ("", 415),
    ])
  func contentType(type: String, status: Int) {
    var office = Office()
    let response = office.ask(
      "POST", "/v1/devices/d3/actions", headers: Office.local + [("Content-Type", type)],
      body: Array(#"{"do":"reboot"}"#.utf8))
    #expect(response.status == status)
  }

  @Test("an action is distinguished from the work that was due before it")
  func dueEvents() {
    var office = Office()
    _ = office.act("d3", ["do": "startActivity"])
    office.events = []
    office.simulator.clock.advance(by: .seconds(9 * 3600))
    let response = office.act("d3", ["do": "reboot"])
    #expect(response.json.eventNames == ["rebooted"])
    let names = office.events.compactMap { event -> String? in
      if case .phone(_, _, let deviceEvent, _) = event { deviceEvent.name } else { nil }
    }
    #expect(names.contains("activityEnded") && names.last == "rebooted")
  }
}
