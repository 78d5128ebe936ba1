import APNs
import Testing

@Suite("A priority")
struct PriorityTests {
  @Test("S12: 10 and 5 pass for a Live Activity, 1 and everything between do not")
  func liveActivity() throws {
    var gate = try Gate()
    for word in ["10", "5"] { #expect(gate.reason(Push().with("apns-priority", word)) == nil) }
    for word in ["1", "2", "3", "4", "6", "7", "8", "9"] {
      #expect(gate.reason(Push().with("apns-priority", word)) == .badPriority)
    }
  }

  @Test(
    "any value other than 10, 5 and 1 is a bad priority",
    arguments: ["0", "11", "100", "-5", "+5", "5.0", "05", "", "high", " 10", "10 "])
  func badWords(word: String) throws {
    var gate = try Gate()
    #expect(gate.reason(Push.alert.with("apns-priority", word)) == .badPriority)
  }

  @Test("S13: a push without the priority header has priority 10")
  func defaultIsTen() throws {
    var gate = try Gate()
    #expect(gate.send(Push().with("apns-priority", nil)).accepted?.priority == .immediate)
    #expect(gate.send(Push.alert.with("apns-priority", "1")).accepted?.priority == .passive)
  }

  /// Observed: accepted at 10 in forum thread 745345 and node-apn issue 673; documented as an error.
  @Test("a background push may have any priority, and only 5 where the rulebook is strict", arguments: [false, true])
  func background(isStrict: Bool) throws {
    var gate = try Gate { $0.strictHeaders = isStrict }
    let push = Push.alert.with("apns-push-type", "background")
    let other: RejectionReason? = isStrict ? .badPriority : nil
    for priority in ["10", "1", nil] { #expect(gate.reason(push.with("apns-priority", priority)) == other) }
    #expect(gate.reason(push.with("apns-priority", "5")) == nil)
    #expect(gate.reason(push.with("apns-priority", "7")) == .badPriority)
    #expect(gate.reason(Push.alert.with("apns-priority", nil)) == nil, "others may leave it out")
  }

  @Test("an empty collapse id is accepted as none, and refused where the rulebook is strict", arguments: [false, true])
  func emptyCollapseID(isStrict: Bool) throws {
    var gate = try Gate { $0.strictHeaders = isStrict }
    let push = Push.alert.with("apns-collapse-id", "")
    #expect(gate.reason(push) == (isStrict ? .badCollapseID : nil))
    #expect(gate.send(push).accepted?.collapseIDRange == nil)
    #expect(gate.reason(Push.alert.with("apns-collapse-id", "a")) == nil)
  }
}
