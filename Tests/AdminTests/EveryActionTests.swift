import Devices
import Simulation
import Testing
import WireFormats

@testable import Admin

@Suite("Every action")
struct EveryActionTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let order: JSONValue
    let event: String
    /// Orders that come first.
    var before: [JSONValue] = []

    init(_ order: JSONValue, _ event: String, after before: JSONValue...) {
      self.order = order
      self.event = event
      self.before = before
    }

    var testDescription: String { order.text }
  }

  static let start: JSONValue = ["do": "startActivity"]
  static let open: JSONValue = ["do": "open"]

  static let cases: [Case] =
    [
      Case(["do": "uninstall"], "appRemoved"), Case(["do": "uninstall", "app": "com.example.store"], "appRemoved"),
      Case(["do": "reinstall"], "appInstalled", after: ["do": "uninstall"]),
      Case(["do": "reinstall", "open": false], "appInstalled", after: ["do": "uninstall"]),
      Case(["do": "updateApp"], "appUpdated"), Case(["do": "rotate", "kind": "device"], "tokenIssued"),
      Case(["do": "rotate", "kind": "voip"], "tokenIssued"),
      Case(["do": "rotate", "kind": "pushToStart", "attributesType": "RideAttributes"], "tokenIssued"),
      Case(["do": "rotate", "kind": "update"], "tokenIssued", after: start), Case(open, "appForegrounded"),
      Case(["do": "leave"], "appBackgrounded", after: open), Case(["do": "forceQuit"], "appTerminated"),
      Case(["do": "terminate"], "appTerminated"), Case(["do": "crash"], "appTerminated"),
      Case(start, "activityStarted"),
      Case(["do": "startActivity", "pushType": "none", "relevanceScore": 7], "activityStarted"),
      Case(["do": "startActivity", "from": "intent"], "activityStarted"),
      Case(["do": "startActivity", "from": "background"], "activityRefused"),
      Case(["do": "startActivity", "error": "persistenceFailure"], "activityRefused"),
      Case(["do": "updateActivity", "contentState": ["home": 1]], "contentYielded", after: start),
      Case(
        ["do": "updateActivity", "contentState": [:], "timestamp": 1_900_000_000, "alert": true], "contentYielded",
        after: start),
      Case(["do": "endActivity", "contentState": ["home": 2], "dismissalDate": 0], "activityDismissed", after: start),
      Case(["do": "evict"], "activityEnded", after: start), Case(["do": "swipe"], "activityDismissed", after: start),
      Case(["do": "tap"], "appForegrounded", after: start), Case(["do": "lock"], "locked", after: ["do": "unlock"]),
      Case(["do": "unlock"], "unlocked"), Case(["do": "lightScreen"], "screenLit"),
      Case(["do": "darkenScreen"], "screenDark", after: ["do": "lightScreen"]),
      Case(["do": "goOffline"], "wentOffline"), Case(["do": "goOnline"], "wentOnline", after: ["do": "goOffline"]),
      Case(["do": "reboot"], "rebooted"), Case(["do": "restore"], "restored"),
      Case(["do": "longPress"], "cardOpened", after: start, ["do": "unlock"]),
      Case(["do": "setClock", "ahead": "-90m"], "clockSet"), Case(["do": "setClock", "ahead": 60], "clockSet"),
      Case(["do": "updateSystem", "os": "27.1"], "systemUpdated"),
      Case(["do": "permit", "notifications": "denied"], "permissionChanged"),
    ]
    + ["lowPower", "batteryLow", "thermalPressure", "charging", "focus", "standBy", "carPlay", "mac"].map {
      Case(["do": "switch", "what": .string($0), "on": true], "switched")
    }
    + ["timeSensitive", "allLiveActivities", "liveActivities", "frequentUpdates", "backgroundRefresh"].map {
      Case(["do": "switch", "what": .string($0), "on": false], "switched")
    }

  /// S35, S41, S52, S57, S67, S131, S141, S142: what the rows want done can be done.
  @Test("S35 S41 S52 S57 S67 S131 S141 S142: every action is done, and shows its effects", arguments: cases)
  func done(_ this: Case) {
    var office = Office()
    for order in this.before { #expect(office.act("d3", order).status == 200) }
    let response = office.act("d3", this.order)
    #expect(response.status == 200)
    #expect(response.json.eventNames.contains(this.event), "\(response.json.eventNames)")
    #expect(response.json["device"]?["id"] == "d3")
  }

  @Test("every reversible action shows in the device")
  func shows() {
    var office = Office()
    func after(_ order: JSONValue) -> JSONValue? { office.act("d3", order).json["device"] }
    #expect(after(["do": "switch", "what": "lowPower", "on": true])?["lowPower"] == true)
    #expect(after(["do": "switch", "what": "timeSensitive", "on": false])?["timeSensitive"] == false)
    #expect(after(["do": "goOffline"])?["online"] == false)
    #expect(after(Self.open)?["locked"] == false)
    #expect(after(["do": "darkenScreen"])?["screenOn"] == false)
    #expect(after(["do": "reboot"])?["unlockedSinceReboot"] == false)
    #expect(after(["do": "updateSystem", "os": "27.1"])?["os"] == "27.1")
    func app(_ order: JSONValue) -> JSONValue? { after(order)?["apps"]?.elements?.first }
    #expect(app(["do": "permit", "notifications": "provisional"])?["notifications"] == "provisional")
    #expect(app(["do": "switch", "what": "liveActivities", "on": false])?["liveActivities"] == false)
    #expect(app(["do": "forceQuit"])?["state"] == "forceQuit")
    #expect(app(["do": "uninstall"])?["state"] == "deleted")
    let fresh = app(["do": "reinstall", "open": false])
    #expect(fresh?["state"] == "neverLaunched" && fresh?["deviceToken"] == .null)
  }

  @Test("the events of every action have true, false and numbers as JSON values")
  func details() {
    var office = Office()
    func event(_ name: String, _ response: AdminResponse) -> JSONValue? {
      response.json["events"]?.elements?.first { $0["event"]?.string == name }
    }
    let off: JSONValue = ["do": "switch", "what": "frequentUpdates", "on": false]
    _ = office.act("d3", Self.open)
    let response = office.act("d3", off)
    #expect(event("switched", response)?["on"] == false && event("switched", response)?["what"] == "frequentUpdates")
    #expect(event("frequentPushesYielded", response)?["enabled"] == false)
    office.push(
      office.token("d3"), headers: [("apns-push-type", "background"), ("apns-priority", "5")],
      body: Array(#"{"aps":{"content-available":1}}"#.utf8))
    let line = office.log("d3", "&process=app").first { $0["event"] == "backgroundPushYielded" }
    #expect(line?["push"] == 1)
  }

  /// The question under the card of a start by push (docs/behavior/live-activities.md#question-under-the-card).
  @Test("an action answers the question under a card", arguments: [true, false])
  func prompt(allowed: Bool) {
    var policy = Office.quick
    policy.prompt.policy = .firstPushStart
    var office = Office(policy: policy)
    office.pushActivity(office.startToken("d3"), "start")
    #expect(office.activity("d3")?["state"] == "prompting" && office.activity("d3")?["updateToken"] == .null)
    let screen = office.get("/v1/devices/d3/screen")
    #expect(screen["prompt"]?["activity"] == office.activity("d3")?["id"])
    let early = office.act("d3", ["do": "endActivity"])
    #expect(early.status == 422 && early.field == "activity" && early.error.contains("shows the Allow question"))
    let response = office.act("d3", ["do": allowed ? "allow" : "deny"])
    let answer = response.json["events"]?.elements?.first { $0["event"] == "promptAnswered" }
    #expect(response.status == 200 && answer?["answer"]?.string == (allowed ? "allow" : "deny"))
    #expect(office.activity("d3")?["state"]?.string == (allowed ? "active" : "dismissed"))
    #expect((office.activity("d3")?["updateToken"]?.string != nil) == allowed)
    #expect(office.install("d3")?["liveActivities"] == .bool(allowed))
    #expect(office.get("/v1/devices/d3/screen")["prompt"] == .null)
  }

  /// S64: the tap on a notification opens the app.
  @Test("S64: taps and clears notifications")
  func notifications() {
    var office = Office()
    for _ in 0..<3 { office.push(office.token("d3")) }
    let tapped = office.act("d3", ["do": "tapNotification", "notification": 0])
    #expect(tapped.json.eventNames.contains("notificationTapped") && tapped.json.eventNames.contains("appForegrounded"))
    let event = tapped.json["events"]?.elements?.first { $0["event"] == "notificationTapped" }
    #expect(event?["notification"] == 0)
    #expect(office.act("d3", ["do": "tapNotification"]).status == 200)
    #expect(office.get("/v1/devices/d3/screen")["notifications"]?.elements?.map { $0["number"] } == [1])
    #expect(office.act("d3", ["do": "clearNotifications"]).json.eventNames == ["notificationsCleared"])
    #expect(office.get("/v1/devices/d3/screen")["notifications"] == [])
  }

  @Test("of many buttons, the error for an unknown one names some, and counts the others")
  func manyButtons() {
    let categories = (0..<15).map { number in
      var category = NotificationCategory("C\(number)")
      category.buttons = [TouchButton("button\(number)", title: "Mute")]
      return category
    }
    var office = Office(categories: categories)
    for number in 0..<15 {
      office.push(office.token("d3"), body: Array(#"{"aps":{"alert":"Goal","category":"C\#(number)"}}"#.utf8))
    }
    let unknown = office.act("d3", ["do": "pressButton", "button": "x"])
    #expect(unknown.status == 404 && unknown.error.hasSuffix(" and 5 more."), "\(unknown.text)")
  }

  @Test("buttons and replies are on the screen, and an action presses or answers them")
  func touches() throws {
    var card = CardTemplate()
    card.buttons = [.init("cheer", title: try CardText("Cheer {state.home}"))]
    var category = NotificationCategory("GOAL")
    category.buttons = [TouchButton("mute", title: "Mute")]
    category.reply = "Reply"
    var office = Office(card: card, categories: [category])
    _ = office.act("d3", ["do": "startActivity", "contentState": ["home": 1]])
    for _ in 0..<2 {
      office.push(office.token("d3"), body: Array(#"{"aps":{"alert":"Goal","category":"GOAL"}}"#.utf8))
    }
    let screen = office.get("/v1/devices/d3/screen")
    #expect(screen["lockScreen"]?.elements?.first?["drawn"]?["buttons"] == [["name": "cheer", "title": "Cheer 1"]])
    let note = screen["notifications"]?.elements?.first
    #expect(note?["buttons"] == [["name": "mute", "title": "Mute"]] && note?["reply"] == "Reply")
    func event(_ name: String, _ order: JSONValue) -> JSONValue? {
      let response = office.act("d3", order)
      #expect(response.status == 200, "\(response.text)")
      return response.json["events"]?.elements?.first { $0["event"]?.string == name }
    }
    let unknown = office.act("d3", ["do": "pressButton", "button": "x"])
    #expect(unknown.error.contains("there are cheer and mute."), "\(unknown.text)")
    let pressed = event("cardButtonPressed", ["do": "pressButton", "button": "cheer"])
    #expect(pressed?["button"] == "cheer" && pressed?["activity"] == office.activity("d3")?["id"])
    let muted = event("notificationButtonPressed", ["do": "pressButton", "button": "mute", "notification": 0])
    #expect(muted?["button"] == "mute" && muted?["notification"] == 0)
    #expect(event("notificationAnswered", ["do": "answerNotification", "text": "Yes"])?["notification"] == 1)
    #expect(office.get("/v1/devices/d3/screen")["notifications"] == [])
    #expect(event("cardTapped", ["do": "tap"])?["activity"] == office.activity("d3")?["id"])
  }

  @Test("every action has a case in this suite")
  func complete() {
    let done = Set(Self.cases.compactMap { $0.order["do"]?.string })
    let elsewhere: Set = [
      "allow", "deny", "tapNotification", "clearNotifications", "use", "pressButton", "answerNotification",
    ]
    #expect(done.union(elsewhere) == Set(DeviceAction.names))
  }
}
