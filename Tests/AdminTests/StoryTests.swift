import Devices
import Simulation
import Testing
import Timeline
import WireFormats

@testable import Admin

@Suite("The story of a push")
struct StoryTests {
  /// S18: 200 says that APNs accepted it, and no more.
  @Test("S18: a push that was answered 200 and dropped has a story")
  func dropped() {
    var office = Office()
    let record = office.pushActivity(office.startToken("d3"), "start", ["attributes-type": "matchattributes"])
    #expect(record?["answer"]?["status"] == 200 && record?["fate"] == "Received by APNs, Delivered to Device")
    #expect(record?["final"] == true && record?["reaction"]?["outcome"] == "dropped")
    #expect((record?["story"] ?? []).strings("process") == ["APNs", "apsd", "liveactivitiesd"])
    #expect((record?["story"] ?? []).strings("event") == ["accepted", "delivered", "dropped"])
    let last = record?["story"]?.elements?.last
    #expect(
      last?["cause"] == "unknown-attributes-type" && last?["sentence"]?.string?.contains("matchattributes") == true)
    #expect(record?["onScreen"] == .null && office.card("d3") == nil)
  }

  /// S19: what is malformed for APNs is 400, and what does not decode on the phone is 200.
  @Test("S19: the story of a rejected push is empty")
  func refused() {
    var office = Office()
    office.push(office.token("d3"), headers: [("apns-priority", "7")])
    let record = office.newestPush()
    #expect(record?["reason"] == "BadPriority" && record?["fate"] == "Refused by APNs" && record?["final"] == true)
    #expect(record?["story"] == [] && record?["reaction"] == .null && record?["onScreen"] == .null)
    #expect(office.log("d3").isEmpty)
    let update = office.startActivity("d3")
    let silent = office.pushActivity(update, "update", ["content-state": "two"])
    #expect(silent?["answer"]?["status"] == 200 && silent?["reaction"]?["cause"] == "content-state-decode")
  }

  /// S105: priority 5 is delivered when it suits the phone.
  @Test("S105: the story of a deferred push uses the terms of Apple's console, and continues at the delivery")
  func lowPriority() {
    var office = Office()
    let update = office.startActivity("d3")
    let held = office.pushActivity(update, "update", ["content-state": ["home": 1]], priority: "5")
    #expect(held?["fate"] == "Received by APNs, Stored - Power Considerations")
    #expect(held?["final"] == false && held?["reaction"] == .null && held?["onScreen"] == .null)
    #expect((held?["story"] ?? []).strings("event") == ["accepted", "stored"])
    #expect(held?["why"]?["sentence"]?.string?.contains("power") == true)
    office.advance("15m")
    let later = office.newestPush()
    #expect(
      later?["fate"] == "Received by APNs, Stored - Power Considerations, Delivered to Device (From Storage)")
    #expect(later?["final"] == true && later?["reaction"]?["outcome"] == "updated")
    #expect(later?["reaction"]?["remarks"]?.elements?.contains("late") == true)
    #expect(
      (later?["story"] ?? []).strings("event").prefix(4) == ["accepted", "stored", "deliveredFromStorage", "updated"])
    #expect(office.card("d3")?["contentState"] == ["home": 1])
  }

  @Test("the story of a push to an offline phone ends with its storage")
  func offline() {
    var office = Office()
    let token = office.token("d3")
    _ = office.act("d3", ["do": "goOffline"])
    office.push(token, headers: [("apns-expiration", "0")])
    #expect(office.newestPush()?["fate"] == "Received by APNs, Discarded - Not Stored")
    office.push(token, id: PushTests.id)
    #expect(office.newestPush()?["fate"] == "Received by APNs, Stored - Device Offline")
    #expect(office.get("/v1/devices/d3")["storedPushes"] == 1)
    office.advance("1h")
    let back = office.act("d3", ["do": "goOnline"])
    let settled = back.json["events"]?.elements?.first { $0["event"] == "pushSettled" }
    #expect(settled?["push"] == 2 && settled?["fate"] == "Delivered to Device (From Storage)")
    let record = office.get("/v1/pushes/\(PushTests.id)")
    #expect(record["fate"] == "Received by APNs, Stored - Device Offline, Delivered to Device (From Storage)")
    #expect(record["reaction"]?["outcome"] == "banner" && office.get("/v1/devices/d3")["storedPushes"] == 0)
    #expect(record["story"]?.elements?.last?["at"] == "2026-03-01T13:00:00.000Z")
  }

  /// The content of the screen before and after a push, without its drawing.
  private func undrawn(_ push: JSONValue?) -> JSONValue? {
    push?["onScreen"]?.members.map { sides in
      .object(
        sides.map { side in
          .init(side.key, side.value.members.map { .object($0.filter { $0.key != "drawn" }) } ?? side.value)
        })
    }
  }

  /// S74, S87, S131, S133: each push changes the card, and shows how.
  @Test("S74 S87 S131 S133: the story of a push shows the screen before and after the push")
  func onScreen() {
    var office = Office(budget: Office.prompt)
    let started = office.pushActivity(office.startToken("d3"), "start")
    #expect(undrawn(started) == ["before": nil, "after": ["state": "active", "contentState": ["home": 0]]])
    let update = office.activity("d3")?["updateToken"]?.string ?? ""
    let updated = office.pushActivity(update, "update", ["content-state": ["home": 1]], after: 2)
    #expect(
      undrawn(updated) == [
        "before": ["state": "active", "contentState": ["home": 0]],
        "after": ["state": "active", "contentState": ["home": 1]],
      ])
    let stale = office.pushActivity(update, "update", ["content-state": ["home": 2], "stale-date": 1], after: 3)
    #expect(stale?["onScreen"]?["after"]?["state"] == "stale" && office.card("d3")?["isStale"] == true)
    let ended = office.pushActivity(update, "end", after: 4)
    #expect(
      undrawn(ended) == [
        "before": ["state": "stale", "contentState": ["home": 2]],
        "after": ["state": "ended", "contentState": ["home": 2]],
      ])
    let again = office.startActivity("d4", ["contentState": ["home": 5]])
    let gone = office.pushActivity(again, "end", ["dismissal-date": 1])
    #expect(undrawn(gone) == ["before": ["state": "active", "contentState": ["home": 5]], "after": nil])
  }

  @Test("the story of a push calls a card stale by the phone's clock, and not for a date that the phone ignored")
  func staleByPhone() {
    var office = Office(budget: Office.prompt)
    let update = office.startActivity("d3", ["contentState": ["home": 0]])
    let past: JSONValue = ["content-state": ["home": 1], "stale-date": -10_000_000_000]
    let ignored = office.pushActivity(update, "update", past, after: 2)
    #expect(ignored?["onScreen"]?["after"]?["state"] == "active" && office.card("d3")?["isStale"] == false)
    _ = office.act("d3", ["do": "setClock", "ahead": "1h"])
    let date = JSONValue.integer(office.now.world.seconds + 1800)
    let ahead = office.pushActivity(update, "update", ["content-state": ["home": 2], "stale-date": date], after: 3)
    #expect(ahead?["onScreen"]?["after"]?["state"] == "stale" && office.card("d3")?["isStale"] == true)
  }

  @Test("the story of a push shows no change where the drawing is postponed")
  func notDrawn() {
    var office = Office()
    let update = office.startActivity("d3", ["contentState": ["home": 0]])
    let record = office.pushActivity(update, "update", ["content-state": ["home": 1]])
    #expect(undrawn(record)?["after"] == ["state": "active", "contentState": ["home": 0]])
    #expect(record?["reaction"]?["remarks"] == ["render-delayed"])
    let card = office.card("d3")
    #expect(card?["contentState"] == ["home": 0] && card?["notDrawnYet"]?["contentState"] == ["home": 1])
    office.advance("15s")
    #expect(office.card("d3")?["contentState"] == ["home": 1] && office.card("d3")?["notDrawnYet"] == nil)
  }

  @Test("the story of an end stored past its dismissal date shows that the card disappeared at once")
  func lateEnd() {
    var office = Office()
    let update = office.startActivity("d3")
    _ = office.act("d3", ["do": "goOffline"])
    office.pushActivity(update, "end", ["dismissal-date": .integer(Office.noon.seconds + 60)])
    office.advance("5m")
    _ = office.act("d3", ["do": "goOnline"])
    #expect(office.newestPush()?["reaction"]?["outcome"] == "ended" && office.card("d3") == nil)
    #expect(office.newestPush()?["onScreen"]?["after"] == .null)
  }

  @Test("the story of a push shows the invalid parts of a notification's payload")
  func overlooked() {
    var office = Office()
    office.push(office.token("d3"), body: Array(#"{"alert":"x","aps":{"badge":-1,"sound":7,"alert":"y"}}"#.utf8))
    #expect(office.newestPush()?["reaction"]?["remarks"] == ["badge-value", "sound-type"])
  }
}
