import Simulation
import Testing
import Timeline
import WireFormats

@testable import Admin

@Suite("A push that the admin API sends to a phone")
struct DevicePushTests {
  private static let alert: JSONValue = ["aps": ["alert": "Goal!"]]
  private static let start: JSONValue = [
    "aps": [
      "timestamp": .integer(Office.noon.seconds + 1), "event": "start", "attributes-type": "RideAttributes",
      "attributes": ["ride": 1], "content-state": ["home": 0], "alert": ["title": "Ride", "body": "Now"],
    ]
  ]

  private func activity(_ event: String, after seconds: Int64 = 1) -> JSONValue {
    [
      "aps": [
        "timestamp": .integer(Office.noon.seconds + seconds), "event": .string(event), "content-state": ["home": 1],
      ]
    ]
  }

  /// - Parameter team: the team of the server's key.
  private func office(activities: Int = 0, team: String = "PUSHPIT001", environment: String = "both") -> Office {
    var office = Office(runningActivities: activities)
    let token = office.providerToken
    office.desk = AdminService(
      version: "0.1.0",
      server: {
        var description = ServerDescription()
        description.keys = [
          .init(
            keyID: "ABCDE12345", teamID: team, environment: environment, topics: [], privateKey: nil,
            sign: { _ in token })
        ]
        return description
      })
    return office
  }

  private func header(_ name: String, _ push: JSONValue) -> String? {
    push["request"]?["headers"]?.elements?.first { $0["name"]?.string == name }?["value"]?.string
  }

  @Test("a push of the admin API returns the push, its story and its lint, like GET /v1/pushes/{id}")
  func sends() {
    var office = office()
    let id = "11111111-2222-3333-4444-555555555555"
    let answer = office.post("/v1/devices/d3/pushes", ["payload": Self.alert, "id": .string(id), "priority": 10])
    let push = answer.json
    #expect(answer.status == 200 && push["device"] == "d3" && push["outcome"] == "banner", "\(answer.text)")
    #expect(push == office.get("/v1/pushes/\(id)") && push["lint"] == [])
    #expect((push["story"]?.elements ?? []).count > 1)
    #expect(header("apns-priority", push) == "10" && header("apns-topic", push) == Office.app)
    #expect(push["provider"]?["keyId"] == "ABCDE12345")
    #expect(office.get("/v1/devices/d3/screen")["notifications"]?.elements?.count == 1)
    #expect(office.get("/v1/connections")["connections"]?.elements?.count == 1)
  }

  @Test("a push of the admin API goes to the token that suits its payload: a start, an update or an end")
  func liveActivity() {
    var office = office()
    let start = office.post("/v1/devices/d3/pushes", ["payload": Self.start]).json
    #expect(start["tokenKind"] == "pushToStart" && start["outcome"] == "started", "\(start.text)")
    #expect(header("apns-topic", start) == Office.activityTopic)
    for (event, outcome, seconds) in [("update", "updated", 2), ("end", "ended", 3)] as [(String, String, Int64)] {
      let push = office.post("/v1/devices/d3/pushes", ["payload": activity(event, after: seconds)]).json
      #expect(push["tokenKind"] == "update" && push["outcome"]?.string == outcome, "\(push["why"]?.text ?? "")")
    }
    let silent = office.post("/v1/devices/d3/pushes", ["payload": ["aps": ["content-available": 1]]]).json
    #expect(header("apns-push-type", silent) == "background" && header("apns-priority", silent) == "5")
  }

  @Test("a push of the admin API goes to the attributes type or the activity that it names")
  func choices() {
    var office = office(activities: 2)
    let first = office.install("d3")?["activities"]?.elements?.first?["id"]?.string ?? ""
    let update = office.post("/v1/devices/d3/pushes", ["payload": activity("update"), "activity": .string(first)])
    #expect(update.json["outcome"] == "updated" && update.json["why"]?.text.contains(first) == true, "\(update.text)")
    let typed = office.post(
      "/v1/devices/d3/pushes", ["payload": Self.start, "attributesType": "RideAttributes"])
    let token = office.install("d3")?["pushToStart"]?.elements?.first { $0["attributesType"] == "RideAttributes" }
    #expect(typed.json["request"]?["path"]?.string == "/3/device/\(token?["token"]?.string ?? "")")
  }

  @Test("a push of the admin API goes to the last of the activities that have started at once")
  func atOnce() {
    var office = office(activities: 2)
    let activities = office.install("d3")?["activities"]?.elements ?? []
    #expect(activities.count == 2 && activities[0]["startedAt"] == activities[1]["startedAt"])
    let update = office.post("/v1/devices/d3/pushes", ["payload": activity("update")]).json
    #expect(update["why"]?.text.contains(activities.last?["id"]?.string ?? "-") == true, "\(update.text)")
  }

  @Test("a push of the admin API that APNs rejects returns 200 with the rejection")
  func rejected() {
    var office = office()
    let orders: [(order: JSONValue, reason: String)] = [
      (["payload": Self.alert, "headers": ["apns-priority": "7"]], "BadPriority"),
      (["payload": Self.alert, "topic": "com.example.other"], "TopicDisallowed"),
      (["payload": Self.alert, "headers": ["authorization": .null]], "MissingProviderToken"),
      (["payload": Self.alert, "pushType": "voip", "tokenKind": "device"], "DeviceTokenNotForTopic"),
      (["payload": Self.alert, "environment": "production"], "BadDeviceToken"),
      (["raw": ""], "PayloadEmpty"), (["raw": .string(String(repeating: "x", count: 4097))], "PayloadTooLarge"),
    ]
    for (order, reason) in orders {
      let answer = office.post("/v1/devices/d3/pushes", order)
      #expect(answer.status == 200 && answer.json["answer"]?["decision"] == "refused", "\(answer.text)")
      #expect(answer.json["reason"]?.string == reason && answer.json["outcome"] == .null)
    }
  }

  @Test("a push to a phone without such a token is rejected with a list of the phone's tokens")
  func noToken() {
    var office = office()
    let update = office.post("/v1/devices/d3/pushes", ["payload": activity("update")])
    #expect(update.status == 409 && update.field == "tokenKind")
    #expect(
      update.error.hasPrefix("d3 has no token update: com.example.app has device, pushToStart MatchAttributes"),
      "\(update.error)")
    let typed = office.post("/v1/devices/d3/pushes", ["payload": Self.start, "attributesType": "BusAttributes"])
    #expect(typed.status == 409 && typed.error.contains("no token pushToStart BusAttributes"))
    _ = office.act("d3", ["do": "uninstall"])
    let gone = office.post("/v1/devices/d3/pushes", ["payload": Self.alert, "app": .string(Office.app)])
    #expect(gone.status == 409 && gone.error.contains("com.example.app is not installed"))
    let unknown = office.post("/v1/devices/d3/pushes", ["payload": Self.alert, "app": "com.exampel.app"])
    #expect(unknown.status == 404 && unknown.field == "app" && unknown.error.contains("did you mean com.example.app?"))
    #expect(office.post("/v1/devices/d20/pushes", ["payload": Self.alert]).status == 404)
  }

  @Test(
    "a push of the admin API is not sent if Pushpit has no key for the app's team",
    arguments: [("OTHERTEAM1", "both"), ("PUSHPIT001", "production")])
  func noKey(team: String, environment: String) {
    var office = office(team: team, environment: environment)
    let answer = office.post("/v1/devices/d3/pushes", ["payload": Self.alert])
    #expect(answer.status == 409 && answer.error.contains("made no key of team PUSHPIT001"), "\(answer.text)")
    #expect(office.get("/v1/pushes")["pushes"] == [])
  }

  @Test(
    "a push of the admin API cannot have an invalid value",
    arguments: [
      ("payload", .null), ("payload", "x"), ("raw", 7), ("raw", .string(String(repeating: "x", count: 8193))),
      ("app", 7),
      ("headers", ["x": .string(String(repeating: "x", count: 8192))]), ("id", "a\nb"), ("tokenKind", "fax"),
      ("pushType", "fax"),
      ("activity", "x"), ("environment", "moon"), ("priority", 7), ("expiration", -1), ("topic", "a\nb"),
      ("headers", "x"), ("headers", ["Apns-Id": "x"]), ("headers", [":path": "/"]), ("headers", ["x": "a\r\nb"]),
      ("headers", ["x": []]), ("headers", ["content-length": "3"]), ("headers", ["connection": "close"]),
      ("headers", ["x": .string(String(repeating: "x", count: 6968))]), ("colour", "red"),
    ] as [(String, JSONValue)])
  func invalid(name: String, value: JSONValue) {
    var office = office()
    var members: [JSONValue.Member] = name == "raw" || name == "payload" ? [] : [.init("payload", Self.alert)]
    if value != .null { members.append(.init(name, value)) }
    let answer = office.post("/v1/devices/d3/pushes", .object(members))
    #expect(answer.status == 422 && answer.field == name, "\(answer.text)")
    #expect(office.get("/v1/pushes")["pushes"] == [])
  }

  @Test("a push of the admin API is struck by faults")
  func faults() {
    var office = office()
    _ = office.post("/v1/faults", ["name": "busy", "then": ["answer": "TooManyRequests"]])
    let struck = office.post("/v1/devices/d3/pushes", ["payload": Self.alert]).json
    #expect(struck["reason"] == "TooManyRequests" && struck["fault"] == "busy")
  }
}
