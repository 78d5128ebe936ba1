import Devices
import Simulation
import Testing
import Timeline
import WireFormats

@testable import Admin

@Suite("A screen over the admin API")
struct ScreenTests {
  static let traits: AppTraits = {
    var traits = AppTraits()
    traits.strings = StringTable([.init("en", [.init("GOAL", "%@ scores"), .init("SCORE", "%@ : %@")])])
    traits.sounds = ["goal.caf"]
    return traits
  }()

  static let goal: JSONValue = [
    "title": ["loc-key": "GOAL", "loc-args": ["Home"]], "body": ["loc-key": "SCORE", "loc-args": ["1", "0"]],
    "sound": "goal.caf",
  ]

  @Test("a screen contains the documented members, empty on an unused phone")
  func empty() {
    var office = Office()
    #expect(
      office.get("/v1/devices/d3/screen") == [
        "device": "d3", "at": "2026-03-01T12:00:00.000Z", "locked": true, "lit": false, "lockScreen": [],
        "dynamicIsland": ["presentation": "empty", "activities": [], "visible": false], "surfaces": [], "alert": nil,
        "prompt": nil, "notifications": [], "badges": [], "tints": [], "sounds": [], "bells": [],
      ])
  }

  @Test("a screen names every other place that shows an activity, by the way in which it does")
  func surfaces() {
    var office = Office()
    for what in ["carPlay", "mac", "standBy", "charging"] as [JSONValue] {
      _ = office.act("d3", ["do": "switch", "what": what, "on": true])
    }
    _ = office.act("d3", ["do": "startActivity"])
    let id = office.activity("d3")?["id"] ?? .null
    let compact: (JSONValue) -> JSONValue = { ["surface": $0, "presentation": "compact", "activities": [id]] }
    #expect(
      office.get("/v1/devices/d3/screen")["surfaces"] == [
        ["surface": "standBy", "presentation": "minimal", "activities": [id]], compact("carPlay"), compact("mac"),
      ])
    let device = office.get("/v1/devices/d3")
    #expect(device["standBy"] == true && device["carPlay"] == true && device["mac"] == true)
    _ = office.act("d3", ["do": "setClock", "ahead": "-90m"])
    #expect(office.get("/v1/devices/d3")["clockAhead"]?.number == -5400)
  }

  /// S119: an alert comes before the person. S120: with a sound of the app's. S121: in the phone's language.
  @Test(
    "S119 S120 S121: a screen shows an alert, its texts from the app's strings and its sound from the app's files"
  )
  func alert() {
    var office = Office(traits: Self.traits)
    let update = office.startActivity("d3")
    office.pushActivity(update, "update", ["content-state": ["home": 1], "alert": Self.goal])
    let screen = office.get("/v1/devices/d3/screen")
    #expect(
      screen["alert"] == [
        "activity": office.activity("d3")?["id"] ?? .null, "presentation": "expanded", "title": "Home scores",
        "body": "1 : 0", "sound": "goal.caf", "haptic": true, "onWatch": false,
      ])
    #expect(screen["lit"] == true && screen["sounds"] == ["goal.caf"])
    #expect(screen["dynamicIsland"]?["presentation"] == "expanded")
    office.advance("10s")
    let after = office.get("/v1/devices/d3/screen")
    #expect(after["alert"] == .null && after["lit"] == false && after["sounds"] == [])
  }

  @Test("a screen plays the default sound for a missing file, and shows a key that is not in the app's strings")
  func unknownWords() {
    var office = Office(traits: Self.traits)
    let update = office.startActivity("d3")
    let alert: JSONValue = ["title": ["loc-key": "OUT"], "body": "x", "sound": "horn.caf"]
    office.pushActivity(update, "update", ["content-state": [:], "alert": alert])
    let shown = office.get("/v1/devices/d3/screen")["alert"]
    #expect(shown?["title"] == "OUT" && shown?["body"] == "x" && shown?["sound"] == "default")
  }

  /// S122: one transcription has the alert beside aps.
  @Test("S122: a screen shows no alert that is beside aps, and remarks on it")
  func strayAlert() {
    var office = Office()
    let update = office.startActivity("d3")
    let seconds = Office.noon.seconds + 1
    let body = #"{"aps":{"timestamp":\#(seconds),"event":"update","content-state":{}},"alert":{"title":"x"}}"#
    office.push(update, topic: Office.activityTopic, body: Array(body.utf8))
    #expect(office.get("/v1/devices/d3/screen")["alert"] == .null)
    #expect(office.newestPush()?["reaction"]?["remarks"]?.elements?.contains("alert-ignored") == true)
  }

  /// S123, S124: the highest relevance is first, and that may change.
  @Test("S123 S124: a screen orders cards by relevance, again with each update")
  func relevance() {
    var office = Office()
    let first = office.startActivity("d3", ["relevanceScore": 50, "attributes": ["match": "a"]])
    _ = office.startActivity("d3", ["relevanceScore": 100, "attributes": ["match": "b"]])
    func order() -> [JSONValue?] {
      (office.get("/v1/devices/d3/screen")["lockScreen"]?.elements ?? []).map { $0["attributes"]?["match"] }
    }
    #expect(order() == ["b", "a"])
    office.pushActivity(first, "update", ["content-state": [:], "relevance-score": 150])
    #expect(order() == ["a", "b"])
  }

  /// S126: compact when alone, minimal when two apps compete; seen only beyond the Lock Screen.
  @Test("S126: a screen shows the island as on an unlocked phone")
  func island() {
    var office = Office()
    _ = office.startActivity("d3")
    #expect(office.get("/v1/devices/d3/screen")["dynamicIsland"]?["visible"] == false)
    _ = office.act("d3", ["do": "unlock"])
    let island = office.get("/v1/devices/d3/screen")["dynamicIsland"]
    #expect(island?["presentation"] == "compact" && island?["visible"] == true)
    #expect(island?["activities"] == [office.activity("d3")?["id"] ?? .null])
    _ = office.act("d3", ["do": "tap"])
    #expect(office.get("/v1/devices/d3/screen")["dynamicIsland"]?["presentation"] == "empty")
  }

  @Test("a screen lists notifications newest first, with badge, sound and payload")
  func notifications() {
    var office = Office(traits: Self.traits)
    let token = office.token("d3")
    office.push(token)
    office.advance("1m")
    let body = #"""
      {"aps":{"alert":{"title":"T","subtitle":"S","body":"B"},"badge":3,"sound":"goal.caf","thread-id":"match",
      "category":"GOAL"}}
      """#
    office.push(token, headers: [("apns-collapse-id", "c")], body: Array(body.utf8))
    let screen = office.get("/v1/devices/d3/screen")
    #expect((screen["notifications"] ?? []).strings("body") == ["B", "hello"])
    #expect(
      screen["notifications"]?.elements?.first == [
        "number": 1, "app": "com.example.app", "title": "T", "subtitle": "S", "body": "B", "sound": "goal.caf",
        "interruptionLevel": "active", "threadId": "match", "category": "GOAL", "buttons": [],
        "reply": nil, "collapseId": "c", "at": "2026-03-01T12:01:00.000Z", "banner": true, "quiet": false,
      ])
    #expect(screen["badges"] == [["app": "com.example.app", "badge": 3]] && screen["sounds"] == ["goal.caf"])
    #expect(screen["lit"] == true && screen["notifications"]?.elements?.last?["banner"] == false)
  }
}
