import Devices
import Testing
import Timeline
import WireFormats

@testable import Admin

@Suite("Members of a notification that the phone ignored")
struct IgnoredMembersTests {
  private static let body =
    #"{"aps":{"alert":{"title":"Table ready","loc-key":"TABLE_READY","loc-args":"[\"4\"]"},"badge":"21","sound":1,"#
    + #""interruption-level":"timeSensitive","mutable-content":"1"}}"#
  private static let remarks: [PayloadRemark] = [
    .argumentsType, .badgeValue, .soundType, .mutableValue, .interruptionValue,
  ]

  private func push(_ office: inout Office, _ body: String, _ headers: [(name: String, value: String)] = [])
    -> JSONValue
  {
    office.push(office.token("d3"), topic: Office.app, headers: headers, body: Array(body.utf8))
    let id = office.newestPush()?["apnsId"]?.string ?? ""
    return office.get("/v1/pushes/\(id)")
  }

  private func sentences(_ remarks: [PayloadRemark], in lines: JSONValue?) -> Bool {
    let told = (lines?.elements ?? []).filter { $0["event"] == "remark" }
    return told.compactMap { $0["sentence"]?.string } == remarks.map(\.sentence)
      && told.allSatisfy { $0["process"] == "SpringBoard" && $0["source"]?.string != nil }
  }

  @Test(
    "ignored members are words in the reaction, and sentences in the story, the log and the payload check")
  func everywhere() {
    var office = Office()
    let push = push(&office, Self.body)
    #expect(push["reaction"]?["remarks"]?.elements?.compactMap(\.string) == Self.remarks.map(\.rawValue))
    #expect(sentences(Self.remarks, in: push["story"]))
    let why = push["why"]?["sentence"]?.string ?? ""
    let check = (push["lint"]?.elements ?? []).compactMap { $0["sentence"]?.string }
    for remark in Self.remarks {
      #expect(why.contains(remark.sentence) && check.contains(remark.sentence), "\(remark)")
    }
    #expect(why.contains("shown as a banner"), "\(why)")
    let log = office.get("/v1/devices/d3/log")["lines"]?.elements ?? []
    for remark in Self.remarks { #expect(log.contains { $0["sentence"]?.string == remark.sentence }, "\(remark)") }
    #expect(log.contains { $0["sentence"]?.string?.contains("hasBadge: 0") == true })
  }

  @Test(
    "Lint calls nothing lost of a push without apns-push-type that wakes the app",
    arguments: [("", 0), (#","mdm":0"#, 0), (#","container-identifier":"x""#, 0), (#","alert":"x""#, 1)])
  func untyped(_ member: String, _ count: Int) {
    var office = Office()
    let push = push(&office, #"{"aps":{"content-available":1}\#(member)}"#)
    #expect(push["reaction"]?["outcome"] == "woken", "\(push["reaction"]?.text ?? "")")
    #expect(push["lint"]?.elements?.count == count, "\(push["lint"]?.text ?? "")")
    #expect(push["lint"]?.elements?.allSatisfy { $0["weight"] == "changed" } == true)
  }

  @Test("ignored members of a background push are reported too")
  func background() {
    var office = Office()
    let headers = [(name: "apns-push-type", value: "background"), (name: "apns-priority", value: "5")]
    let push = push(&office, #"{"aps":{"content-available":"1","alert":"x"}}"#, headers)
    #expect(push["reaction"]?["outcome"] == "dropped" && push["reaction"]?["cause"] == "content-available-missing")
    #expect(push["reaction"]?["remarks"] == ["content-available-value", "visible-in-background"])
    #expect(sentences([.contentAvailableValue, .visibleInBackground], in: push["story"]))
    let why = push["why"]?["sentence"]?.string ?? ""
    #expect(why.contains("aps.content-available is not 1") && why.contains("never shows"), "\(why)")
    #expect(push["why"]?["source"]?.string?.contains("background-pushes.md#content-available-missing") == true)
  }

  @Test("ignored members of the alert of a Live Activity are also reported")
  func activity() {
    var office = Office()
    let token = office.startActivity("d3")
    let seconds = office.now.world.seconds + 5
    office.push(
      token, topic: Office.activityTopic,
      body: Array(
        #"{"aps":{"timestamp":\#(seconds),"event":"update","content-state":{"home":1},"alert":{"title":"a","body":7}}}"#
          .utf8))
    let push = office.newestPush()
    #expect(
      push?["reaction"]?["remarks"]?.elements?.contains("alert-text-type") == true, "\(push?["reaction"]?.text ?? "")")
    #expect(push?["why"]?["sentence"]?.string?.contains(PayloadRemark.alertTextType.sentence) == true)
  }

  static let faults: [(String, String)] = [
    (#"{"aps":{"alert":"x",}}"#, "byte 21: }, but a name in double quotes is expected"),
    (#"{'aps':{'alert':'x'}}"#, "byte 2: '"), (#"{"aps":{"alert":"x\ud83d"}}"#, "half of a surrogate pair"),
  ]

  @Test("a payload that is not JSON has no ignored members, but the byte of its fault", arguments: faults)
  func unreadable(_ body: String, _ words: String) {
    var office = Office()
    let push = push(&office, body)
    #expect(push["reaction"]?["cause"] == "payload-unreadable")
    #expect(push["reaction"]?["detail"]?.string?.contains(words) == true)
    #expect(push["why"]?["sentence"]?.string?.contains(words) == true)
    #expect(push["story"]?.elements?.last?["sentence"]?.string?.contains(words) == true)
    #expect(push["lint"]?.elements?.first?["sentence"]?.string?.contains(words) == true)
  }
}
