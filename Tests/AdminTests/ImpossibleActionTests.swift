import Devices
import Simulation
import Testing
import WireFormats

@testable import Admin

@Suite("An action that is not possible")
struct ImpossibleActionTests {
  @Test(
    "an impossible action suggests the nearest valid value",
    arguments: [
      (["do": "rebot"], "do", "reboot"), (["do": "goOnlin"], "do", "goOnline"),
      (["do": "rotate", "kind": "devise"], "kind", "device"),
      (["do": "switch", "what": "lowpower", "on": true], "what", "lowPower"),
      (["do": "permit", "notifications": "denyed"], "notifications", "denied"),
      (["do": "startActivity", "from": "foregruond"], "from", "foreground"),
      (["do": "startActivity", "style": "transiet"], "style", "transient"),
      (["do": "startActivity", "pushType": "tokn"], "pushType", "token"),
      (["do": "startActivity", "error": "deneid"], "error", "denied"),
      (["do": "updateActivity", "contentSate": [:]], "contentSate", "contentState"),
    ] as [(JSONValue, String, String)])
  func suggestion(order: JSONValue, field: String, meant: String) {
    var office = Office()
    let response = office.act("d3", order)
    #expect(response.status == 422 && response.field == field)
    #expect(response.error.hasSuffix("did you mean \(meant)?"), "\(response.error)")
  }

  @Test(
    "an impossible action lists the valid values when none is near",
    arguments: [
      (["do": "levitate"], "do", "uninstall"), (["do": "rotate", "kind": "fax"], "kind", "pushToStart"),
      (["do": "switch", "what": "x", "on": true], "what", "batteryLow"),
      (["do": "permit", "notifications": "x"], "notifications", "ephemeral"),
      (["do": "open", "app": "com.unknown"], "app", "com.example.store"),
      (["do": "startActivity", "attributesType": "matchattributes"], "attributesType", "MatchAttributes"),
    ] as [(JSONValue, String, String)])
  func choices(order: JSONValue, field: String, choice: String) {
    var office = Office()
    let response = office.act("d3", order)
    #expect(response.status == 422 && response.field == field && response.error.contains(choice), "\(response.error)")
  }

  @Test(
    "an impossible action is refused with the name of a missing member",
    arguments: [
      ([:], "do"), (["do": "rotate"], "kind"), (["do": "pressButton"], "button"),
      (["do": "answerNotification"], "text"),
      (["do": "switch", "on": true], "what"),
      (["do": "switch", "what": "focus"], "on"), (["do": "permit"], "notifications"), (["do": "updateSystem"], "os"),
      (["do": "updateActivity"], "contentState"), (["do": "startActivity", "pushType": "channel"], "channel"),

    ] as [(JSONValue, String)])
  func missing(order: JSONValue, field: String) {
    var office = Office()
    let response = office.act("d3", order)
    #expect(response.status == 422 && response.field == field)
    #expect(response.error.hasPrefix("\(field) is required: "), "\(response.error)")
  }

  @Test("an action accepts only the members that have a meaning for it", arguments: DeviceAction.names)
  func foreignMember(name: String) {
    for member in DeviceAction.keys where member != "do" {
      var office = Office(devices: 4)
      let response = office.act("d3", .object([.init("do", .string(name)), .init(member, .array([]))]))
      // A list is no member's type, so what is taken is refused for its type, and what is not for its name.
      #expect(response.status == 422, "\(name) \(member)")
      if response.error.hasPrefix("\(member) is not valid for \(name); ") {
        #expect(response.field == member)
      }
    }
    var office = Office(devices: 4)
    let response = office.act("d3", .object([.init("do", .string(name)), .init("where", [:])]))
    #expect(response.status == 422 && response.field == "where")
  }

  /// Members by the JSON type they have, in an order that is sound but for them.
  static let typed: [(order: JSONValue, member: String, type: String)] = [
    (["do": "open"], "app", "string"), (["do": "reinstall"], "open", "bool"), (["do": "swipe"], "activity", "string"),
    (["do": "rotate"], "kind", "string"),
    (["do": "rotate", "kind": "pushToStart"], "attributesType", "string"),
    (["do": "startActivity"], "attributes", "object"), (["do": "startActivity"], "contentState", "object"),
    (["do": "startActivity"], "pushType", "string"), (["do": "startActivity"], "channel", "string"),
    (["do": "startActivity"], "staleDate", "number"), (["do": "startActivity"], "relevanceScore", "number"),
    (["do": "startActivity"], "style", "string"), (["do": "startActivity"], "startDate", "number"),
    (["do": "startActivity"], "alert", "bool"), (["do": "startActivity"], "from", "string"),
    (["do": "startActivity"], "error", "string"), (["do": "updateActivity"], "contentState", "object"),
    (["do": "updateActivity", "contentState": [:]], "timestamp", "number"),
    (["do": "endActivity"], "dismissalDate", "number"), (["do": "tapNotification"], "notification", "number"),
    (["do": "pressButton"], "button", "string"), (["do": "pressButton", "button": "x"], "notification", "number"),
    (["do": "answerNotification"], "text", "string"),
    (["do": "updateSystem"], "os", "string"), (["do": "switch", "on": true], "what", "string"),
    (["do": "switch", "what": "focus"], "on", "bool"), (["do": "permit"], "notifications", "string"),
  ]

  @Test("an impossible action is refused with a member of the wrong type", arguments: typed)
  func wrongType(order: JSONValue, member: String, type: String) {
    let samples: [(type: String, value: JSONValue)] = [
      ("null", nil), ("bool", true), ("number", 7), ("string", "x"), ("array", []), ("object", [:]),
    ]
    for sample in samples where sample.type != type {
      var office = Office(devices: 4)
      let before = office.get("/v1/devices/d3")
      let response = office.act("d3", .object((order.members ?? []) + [.init(member, sample.value)]))
      #expect(response.status == 422 && response.field == member, "\(sample.value.text): \(response.text)")
      #expect(office.get("/v1/devices/d3") == before)
    }
  }

  @Test(
    "an impossible action is refused with a number out of range",
    arguments: [
      (["do": "startActivity", "staleDate": 1_772_366_400_000], "staleDate"),
      (["do": "startActivity", "startDate": .double(-1e300)], "startDate"),
      (["do": "endActivity", "dismissalDate": .integer(.max)], "dismissalDate"),
      (["do": "tapNotification", "notification": -1], "notification"),
      (["do": "tapNotification", "notification": .double(0.5)], "notification"),
      (["do": "tapNotification", "notification": .integer(.max)], "notification"),
      (["do": "updateSystem", "os": "999999999999999999999"], "os"), (["do": "updateSystem", "os": "-27"], "os"),
    ] as [(JSONValue, String)])
  func outOfReason(order: JSONValue, field: String) {
    var office = Office()
    let response = office.act("d3", order)
    #expect(response.status == 422 && response.field == field, "\(response.text)")
  }

  @Test(
    "an impossible action is answered with a short sentence, however long its values are",
    arguments: ["app", "activity", "attributesType", "channel", "do", "from"])
  func longWords(member: String) {
    var office = Office()
    let long = JSONValue.string(String(repeating: "x", count: 50_000))
    let name: JSONValue = member == "activity" ? "endActivity" : "startActivity"
    let response = office.act("d3", member == "do" ? ["do": long] : .object([.init("do", name), .init(member, long)]))
    #expect(response.status == 422 && response.field == member && response.body.count < 1500)
  }

  @Test(
    "an action that is impossible in the device's state is rejected with a sentence about the state",
    arguments: [
      ([["do": "uninstall"]], ["do": "uninstall"], "app", "reinstall it first"),
      ([], ["do": "reinstall"], "do", "uninstall it first"),
      ([["do": "updateApp"]], ["do": "updateApp"], "do", "already"), ([], ["do": "leave"], "do", "it is suspended"),
      ([["do": "open"]], ["do": "open"], "do", "already foreground on d3"),
      ([["do": "forceQuit"]], ["do": "forceQuit"], "do", "already"),
      ([["do": "forceQuit"]], ["do": "crash"], "do", "it is forceQuit"),
      ([["do": "terminate"]], ["do": "crash"], "do", "no process"),
      ([], ["do": "rotate", "kind": "update"], "activity", "No activity runs on d3"),
      ([], ["do": "updateActivity", "contentState": [:]], "activity", "No activity runs on d3"),
      (
        [["do": "startActivity"], ["do": "startActivity"]], ["do": "endActivity"], "activity", "2 activities run on d3"
      ),
      (
        [["do": "startActivity"], ["do": "startActivity"]], ["do": "swipe"], "activity", "Name one of the cards on d3: "
      ),
      ([["do": "startActivity"]], ["do": "updateActivity", "contentState": [:], "timestamp": 1], "activity", "newer"),
      ([["do": "startActivity"]], ["do": "swipe", "activity": "x"], "activity", "Name one of the cards on d3: "),
      ([], ["do": "tap"], "activity", "No card"), ([], ["do": "allow"], "activity", "No card on d3 shows"),
      ([["do": "startActivity"]], ["do": "deny"], "activity", "No card on d3 shows"),
      ([], ["do": "tapNotification"], "notification", "no notification on d3"),
      ([["do": "startActivity"]], ["do": "pressButton", "button": "x"], "button", "on d3 has a button"),
      ([], ["do": "answerNotification", "text": "x"], "notification", "No app has a notification on d3"),
      ([], ["do": "clearNotifications"], "do", "no notifications on d3"), ([], ["do": "lock"], "do", "already locked"),
      ([["do": "unlock"]], ["do": "unlock"], "do", "already unlocked"),
      ([["do": "unlock"]], ["do": "lightScreen"], "do", "already lit"),
      ([], ["do": "darkenScreen"], "do", "already dark"),
      ([], ["do": "goOnline"], "do", "already online"),
      ([], ["do": "updateSystem", "os": "16.0"], "os", "it can only be updated to a later version"),
      ([], ["do": "switch", "what": "charging", "on": false], "on", "charging is already off on d3"),
      ([], ["do": "switch", "what": "focus", "on": true, "app": "com.example.app"], "app", "a switch of the phone"),
    ] as [([JSONValue], JSONValue, String, String)])
  func notPossible(before: [JSONValue], order: JSONValue, field: String, words: String) {
    var office = Office()
    for order in before { #expect(office.act("d3", order).status == 200) }
    let shown = office.get("/v1/devices/d3")
    office.events = []
    let response = office.act("d3", order)
    #expect(response.status == 422 && response.field == field && response.error.contains(words), "\(response.text)")
    #expect(office.get("/v1/devices/d3") == shown && office.events.isEmpty)
  }
}
