import APNs
import Testing

@Suite("A topic")
struct TopicTests {
  @Test("S11: a topic is a bundle id and the suffix of a service", arguments: TopicSuffix.allCases)
  func splits(suffix: TopicSuffix) throws {
    let topic = try #require(Topic("com.example.app" + suffix.text))
    #expect(topic.bundleID == "com.example.app" && topic.suffix == suffix)
    #expect(topic == Topic(bundleID: "com.example.app", suffix: suffix))
    #expect(topic.text == "com.example.app" + suffix.text)
  }

  @Test("a suffix is recognized only complete and at the end")
  func onlyWholeSuffixes() throws {
    for text in ["com.voip.app", "com.example.app.voip2", "com.example.app.pushnotification.liveactivity"] {
      let topic = try #require(Topic(text))
      #expect(topic.bundleID == text && topic.suffix == .none)
    }
    #expect(Topic("a.voip.voip")?.bundleID == "a.voip")
  }

  @Test(
    "characters that a bundle id cannot have make it bad",
    arguments: ["", " ", "com example", "com.example/app", "com.example.app\n", "com.exämple", "a,b", ".voip", "*"])
  func badTopics(text: String) {
    #expect(Topic(text) == nil)
  }

  @Test("a topic has at most 255 characters")
  func length() {
    #expect(Topic(String(repeating: "a", count: 255)) != nil)
    #expect(Topic(String(repeating: "a", count: 256)) == nil)
  }

  @Test("S11: the plain bundle id is wrong for the token of a Live Activity")
  func plainIsWrong() throws {
    var gate = try Gate()
    let plain = Push().with("apns-topic", "com.example.app")
    #expect(gate.reason(plain) == .deviceTokenNotForTopic)
    #expect(gate.reason(plain.with("apns-push-type", nil)) == .deviceTokenNotForTopic)
    #expect(gate.reason(plain.with("apns-push-type", "alert")) == .deviceTokenNotForTopic)
  }

  @Test("S7: a topic passes only for a key of its team, and of its topics where it names some")
  func permission() throws {
    var gate = try Gate()
    #expect(gate.reason(Push().with("apns-topic", "org.other.app.push-type.liveactivity")) == .topicDisallowed)
    #expect(gate.reason(Push().with("apns-topic", "com.unknown.app.push-type.liveactivity")) == .topicDisallowed)
    var narrow = Push.alert
    narrow.jwt.keyID = "KEY0000003"
    gate.reconnect()
    #expect(gate.reason(narrow) == nil)
    narrow.set("apns-topic", "com.example.two")
    narrow.path = "/3/device/" + Gate.otherToken
    #expect(gate.reason(narrow) == .topicDisallowed)
    narrow.jwt.keyID = "KEY0000001"
    gate.reconnect()
    #expect(gate.reason(narrow) == nil)
  }

  @Test("a topic that was allowed to one key of a connection is checked again for its related key")
  func relatedKeysAreJudgedApart() throws {
    var gate = try Gate()
    var push = Push.alert.with("apns-topic", "com.example.two")
    push.path = "/3/device/" + Gate.otherToken
    push.jwt.keyID = "KEY0000002"
    #expect(gate.reason(push) == nil)
    push.jwt.keyID = "KEY0000003"
    #expect(gate.reason(push) == .topicDisallowed)
    push.jwt.keyID = "KEY0000002"
    #expect(gate.reason(push) == nil)
  }
}
