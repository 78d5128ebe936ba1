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

  @Test("S13: without the header a push has priority 10")
  func defaultIsTen() throws {
    var gate = try Gate()
    #expect(gate.send(Push().with("apns-priority", nil)).accepted?.priority == .immediate)
    #expect(gate.send(Push.alert.with("apns-priority", "1")).accepted?.priority == .passive)
  }

  @Test("a background push has priority 5 or none")
  func background() throws {
    var gate = try Gate()
    let push = Push.alert.with("apns-push-type", "background")
    #expect(gate.reason(push.with("apns-priority", "10")) == .badPriority)
    #expect(gate.reason(push.with("apns-priority", "1")) == .badPriority)
    #expect(gate.reason(push.with("apns-priority", "5")) == nil)
    #expect(gate.reason(push.with("apns-priority", nil)) == .badPriority)
    #expect(gate.reason(Push.alert.with("apns-priority", nil)) == nil, "others may leave it out")
  }
}
