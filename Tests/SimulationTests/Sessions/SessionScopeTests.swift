import APNs
import Devices
import Testing
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("The scope of a session")
struct SessionScopeTests {
  @Test("a bundle id includes every service of the app and no longer bundle id; a full topic only that service")
  func topics() throws {
    func matches(_ topic: String, _ text: String) throws -> Bool {
      let topic = try #require(SessionTopic(topic))
      let bytes = Array(text.utf8)
      return topic.matches(bytes.span, 0..<bytes.count)
    }
    for suffix in TopicSuffix.allCases { #expect(try matches("com.a.app", "com.a.app" + suffix.text)) }
    #expect(try !matches("com.a.app", "com.a.application"))
    #expect(try !matches("com.a.app", "com.a.app.watch"))
    #expect(try !matches("com.a.app", "com.a.ap"))
    #expect(try matches("com.a.app.voip", "com.a.app.voip"))
    #expect(try !matches("com.a.app.voip", "com.a.app"))
    #expect(try !matches("com.a.app.voip", "com.a.app.voip-ptt"))
    #expect(SessionTopic("no topic at all") == nil)
  }

  @Test(
    "two scopes overlap unless they differ in a kind that both are restricted by",
    arguments: [
      (([0], nil, nil), ([1], nil, nil), false),
      (([0, 1], nil, nil), ([1, 2], nil, nil), true),
      (([0], nil, nil), (nil, nil, [1]), true),
      ((nil, nil, [1, 2]), (nil, nil, [3]), false),
      ((nil, nil, [1, 2]), (nil, nil, [2]), true),
      ((nil, ["com.example.app"], nil), (nil, ["com.example.other"], nil), false),
      ((nil, ["com.example.app"], nil), (nil, ["com.example.app.voip"], nil), true),
      ((nil, ["com.example.app.push-type.widgets"], nil), (nil, ["com.example.app.voip"], nil), false),
      (([0], nil, [1]), ([0], nil, [2]), false),
      (([0], ["com.example.app"], nil), ([1], ["com.example.app"], nil), false),
      ((nil, nil, nil), ([0], ["com.example.app"], [1]), true),
    ] as [(Parts, Parts, Bool)])
  func meeting(left: Parts, right: Parts, meet: Bool) throws {
    let left = try SessionStage.scope(keys: left.0, topics: left.1, devices: left.2)
    let right = try SessionStage.scope(keys: right.0, topics: right.1, devices: right.2)
    #expect(left.overlaps(right) == meet)
    #expect(right.overlaps(left) == meet)
  }

  typealias Parts = ([Int]?, [String]?, [UInt32]?)
}
