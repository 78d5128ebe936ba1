import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

@testable import Admin
@testable import Scenarios

/// Tests of the evidence in `why` for pushes whose cause is known in several ways.
@Suite("The evidence of what has just happened")
struct EvidenceTests {
  /// The evidence in `why` of the newest push, and the page of docs/behavior that it refers to.
  private func why(_ office: inout Office) -> (mark: String?, section: Substring?) {
    let why = office.newestPush()?["why"]
    let section = why?["source"]?.string?.firstMatch(of: /\(docs\/behavior\/([^)]+)\)$/)?.1
    return (why?["evidence"]?.string, section)
  }

  @Test(
    "an end to a push-to-start token was seen to do nothing; an update there is assumed to, like a start elsewhere",
    arguments: [("end", true, "observed"), ("update", true, "assumed"), ("start", false, "assumed")])
  func tokenKind(event: String, isStartToken: Bool, mark: String) {
    var office = Office()
    let update = office.startActivity("d3")
    office.pushActivity(isStartToken ? office.startToken("d3") : update, event)
    #expect(why(&office) == (mark, "dropped-pushes.md#wrong-token-kind"))
    let line = office.log("d3").first { $0["cause"] == "wrong-token-kind" }
    #expect(line?["evidence"]?.string == mark, "the log of the phone says the same")
  }

  @Test("an older timestamp is documented to be dropped, an equal one was seen to be")
  func timestamps() {
    var office = Office()
    let token = office.startActivity("d3")
    office.pushActivity(token, "update", ["content-state": ["home": 1]], after: 10)
    #expect(why(&office) == ("documented", "live-activities.md#timestamps"))
    office.pushActivity(token, "update", ["content-state": ["home": 1]], after: 10)
    #expect(why(&office) == ("observed", "dropped-pushes.md#stale-timestamp"))
    office.pushActivity(token, "update", ["content-state": ["home": 1]], after: 9)
    #expect(why(&office) == ("documented", "dropped-pushes.md#stale-timestamp"))
  }

  @Test("the drop of a push without an event is observed, that of a push with an unknown event is assumed")
  func events() {
    var office = Office()
    let token = office.startActivity("d3")
    for (body, mark) in [(#"{"aps":{"timestamp":1}}"#, "observed"), (#"{"aps":{"event":"begin"}}"#, "assumed")] {
      office.push(token, topic: Office.activityTopic, body: Array(body.utf8))
      #expect(why(&office) == (mark, "dropped-pushes.md#unknown-event"))
    }
  }

  @Test("what a limit or a switch of Apple's does to a push is assumed, though the limit and the switch are documented")
  func drops() {
    var office = Office()
    func long(_ count: Int) -> JSONValue { .string(String(repeating: "x", count: count)) }
    let token = office.startActivity("d3", ["attributes": ["match": long(3000)]])
    office.pushActivity(token, "update", ["content-state": ["home": long(1500)]])
    #expect(why(&office) == ("assumed", "dropped-pushes.md#combined-size"))
    _ = office.act("d4", ["do": "switch", "what": "allLiveActivities", "on": false])
    office.pushActivity(office.startToken("d4"), "start")
    #expect(why(&office) == ("assumed", "dropped-pushes.md#la-disabled"))
  }

  @Test("a start whose channel the app does not have begins by assumption, any other as documented")
  func starts() {
    var office = Office()
    office.pushActivity(office.startToken("d3"), "start")
    #expect(why(&office) == ("documented", "live-activities.md#start-by-push"))
    office.pushActivity(office.startToken("d5"), "start", ["input-push-channel": "dGhlIGNoYW5uZWwgaWQhIQ=="])
    #expect(why(&office) == ("assumed", "dropped-pushes.md#channel-unknown"))
  }

  @Test("a refusal that a strict setting asks for is disputed, any other by the same rule is documented")
  func priorities() {
    var office = Office()
    let token = office.token("d3")
    office.push(token, headers: [("apns-priority", "7")])
    #expect(why(&office) == ("documented", "requests.md#priority"))
    office.push(
      office.startActivity("d3"), topic: Office.activityTopic,
      headers: [("apns-priority", "1"), ("apns-push-type", "liveactivity")])
    #expect(why(&office) == ("assumed", "requests.md#priority"))
    #expect(Rule.Circumstance.backgroundPriority.evidence.kind == .disputed)
  }

  @Test("a type that is not that of the topic was seen for VoIP only")
  func suffix() {
    var office = Office()
    office.push(office.token("d3"), headers: [("apns-push-type", "widgets")])
    #expect(why(&office) == ("assumed", "requests.md#topicsuffixmatchespushtype"))
  }

  @Test("410 for the token of an activity that has ended is disputed, and documented for an app that is gone")
  func dead() {
    var policy = Office.quick
    policy.deadActivityNotice = .zero
    var office = Office(policy: policy)
    let token = office.startActivity("d3")
    office.pushActivity(token, "end", ["dismissal-date": 1])
    office.advance("1h")
    office.pushActivity(token, "update")
    #expect(office.newestPush()?["reason"] == "Unregistered")
    #expect(why(&office) == ("disputed", "tokens.md#after-the-end"))
  }

  @Test("a notification that has only a badge shows nothing as documented; one with an empty alert by assumption")
  func noText() {
    var office = Office()
    let token = office.token("d3")
    for (aps, mark) in [(#"{"badge":3}"#, "documented"), (#"{"badge":3,"alert":{}}"#, "assumed")] {
      office.push(token, body: Array(#"{"aps":\#(aps)}"#.utf8))
      #expect(why(&office) == (mark, "notifications.md#no-text"))
    }
  }

  @Test("a wake is documented for the type background, and disputed without a type")
  func wakes() {
    var policy = Office.quick
    policy.wakes.odds = .always
    let types: [([(name: String, value: String)], String)] = [
      ([("apns-push-type", "background"), ("apns-priority", "5")], "documented"),
      ([("apns-priority", "5")], "disputed"),
    ]
    for (headers, mark) in types {
      var office = Office(policy: policy)
      office.push(office.token("d3"), headers: headers, body: Array(#"{"aps":{"content-available":1}}"#.utf8))
      office.advance("1h")
      let line = office.log("d3").first { $0["event"] == "woken" || $0["event"] == "handled" }
      #expect(line?["evidence"]?.string == mark)
    }
  }

  @Test("a remark in a log names its evidence")
  func remarks() {
    var office = Office()
    let token = office.startActivity("d3")
    office.pushActivity(token, "update", ["content-state": ["home": 1], "attributes": ["match": "other"]])
    let line = office.log("d3").first { $0["cause"] == "attributes-ignored" }
    #expect(line?["evidence"] == "observed")
    #expect(line?["source"]?.string?.hasSuffix("(docs/behavior/dropped-pushes.md#attributes-ignored)") == true)
  }

  @Test("a broadcast's missing priority is refused for an assumed reason, an unknown channel for a disputed one")
  func broadcasts() {
    var office = Office()
    let channel = "dGhlIGNoYW5uZWwgaWQhIQ=="
    office.simulator.world.receive(
      HTTPRequest(
        "POST", "/4/broadcasts/apps/\(Office.app)",
        fields: [
          ("authorization", "bearer \(office.providerToken)"), ("apns-channel-id", channel),
          ("apns-push-type", "liveactivity"), ("apns-expiration", "0"), ("apns-priority", "10"),
        ],
        body: Array("{}".utf8)), on: StreamID(ProviderConnectionID(1), 1), at: office.now)
    let request = office.get("/v1/broadcasts")["requests"]?.elements?.first
    #expect(request?["rule"] == "channelIssued" && request?["evidence"] == "disputed")
    let ways: [(ChannelRule, [(name: String, value: String)], ChannelOperation, String, Evidence.Kind)] = [
      (.priority, [], .publish, "{}", .assumed), (.priority, [("apns-priority", "7")], .publish, "{}", .documented),
      (.payloadSize, [], .publish, "{}", .documented), (.payloadSize, [], .create, "{}", .assumed),
      (.storagePolicy, [], .create, #"{"message-storage-policy":"1"}"#, .disputed),
      (.storagePolicy, [], .create, #"{"message-storage-policy":7}"#, .observed),
    ]
    for (rule, fields, operation, body, kind) in ways {
      let request = HTTPRequest("POST", "/", fields: fields, body: Array(body.utf8))
      #expect(BrokenRule.channel(rule).evidence(of: request, operation).kind == kind, "\(rule) \(body)")
    }
  }
}
