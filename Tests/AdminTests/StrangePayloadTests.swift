import Testing
import Timeline
import WireFormats

@testable import Admin

@Suite("A strange payload")
struct StrangePayloadTests {
  static let values = ["null", "true", "7", "-1", "1e308", "\"x\"", "[]", "{}", "[[]]", "{\"a\":{\"b\":null}}"]

  /// APNs looks into no payload, and the phone must live with whatever comes.
  private func survives(_ office: inout Office, _ token: String, topic: String, _ body: String) {
    // Beyond the limit of requests for one token.
    office.advance("10s")
    office.push(token, topic: topic, body: Array(body.utf8))
    let record = office.newestPush()
    #expect(record?["request"]?["body"]?.string == body)
    #expect(record?["answer"]?["status"] == 200 && record?["story"]?.elements?.count ?? 0 > 1, "\(body)")
    #expect(office.ask("GET", "/v1/devices/d3/screen").status == 200)
    #expect(office.ask("GET", "/v1/devices/d3/log").status == 200)
  }

  @Test(
    "a payload that is not JSON, or has no aps, is accepted and dropped",
    arguments: [
      "x", "{", "[]", "7", "\"aps\"", "{}", "{\"aps\":null}", "{\"aps\":[]}", "{\"aps\":\"x\"}", "{\"APS\":{}}",
    ])
  func noPayload(body: String) {
    var office = Office()
    let update = office.startActivity("d3")
    survives(&office, update, topic: Office.activityTopic, body)
    let isJSON = (try? JSONValue.parse(Array(body.utf8))) != nil
    #expect(office.newestPush()?["reaction"]?["cause"] == (isJSON ? "aps-missing" : "payload-unreadable"))
    survives(&office, office.startToken("d3"), topic: Office.activityTopic, body)
    #expect(office.newestPush()?["reaction"]?["outcome"] == "dropped")
    survives(&office, office.token("d3"), topic: Office.app, body)
    #expect(["nothing", "dropped"].contains(office.newestPush()?["reaction"]?["outcome"]))
  }

  @Test(
    "a payload may contain anything in every member of a notification",
    arguments: [
      "alert", "badge", "sound", "thread-id", "category", "content-available", "mutable-content", "target-content-id",
      "interruption-level", "relevance-score", "filter-criteria",
    ])
  func notification(member: String) {
    var office = Office()
    for value in Self.values {
      survives(&office, office.token("d3"), topic: Office.app, #"{"aps":{"alert":"x","\#(member)":\#(value)}}"#)
    }
    for value in Self.values where member == "alert" {
      for part in ["title", "body", "loc-key", "loc-args", "title-loc-args"] {
        survives(&office, office.token("d3"), topic: Office.app, #"{"aps":{"alert":{"\#(part)":\#(value)}}}"#)
      }
    }
  }

  @Test(
    "a payload may contain anything in every member of a Live Activity push",
    arguments: [
      "event", "timestamp", "content-state", "alert", "stale-date", "dismissal-date", "relevance-score", "attributes",
      "attributes-type", "input-push-token", "input-push-channel",
    ])
  func activity(member: String) {
    for event in ["start", "update", "end"] {
      for value in Self.values {
        var office = Office(devices: 4)
        let token = event == "start" ? office.startToken("d3") : office.startActivity("d3")
        var aps = [
          "timestamp": "\(Office.noon.seconds + 60)", "event": "\"\(event)\"", "content-state": "{}",
          "attributes": "{}", "attributes-type": "\"MatchAttributes\"", "alert": #"{"title":"x"}"#,
        ]
        aps[member] = value
        let members = aps.keys.sorted().map { "\"\($0)\":\(aps[$0] ?? "")" }.joined(separator: ",")
        survives(&office, token, topic: Office.activityTopic, "{\"aps\":{\(members)}}")
      }
    }
  }
}
