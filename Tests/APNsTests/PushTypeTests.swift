import APNs
import Testing

@Suite("A push type")
struct PushTypeTests {
  /// Word, suffix, body limit and priorities, as docs/behavior/requests.md#push-types has them.
  static let table: [(word: String, suffix: String, limit: Int, priorities: Set<Int>)] = [
    ("alert", "", 4096, [10, 5, 1]), ("background", "", 4096, [10, 5, 1]),
    ("location", ".location-query", 4096, [10, 5, 1]), ("voip", ".voip", 5120, [10, 5, 1]),
    ("complication", ".complication", 4096, [10, 5, 1]),
    ("fileprovider", ".pushkit.fileprovider", 4096, [10, 5, 1]), ("mdm", "", 4096, [10, 5, 1]),
    ("liveactivity", ".push-type.liveactivity", 4096, [10, 5]), ("pushtotalk", ".voip-ptt", 4096, [10, 5, 1]),
    ("controls", ".push-type.controls", 4096, [10, 5, 1]), ("widgets", ".push-type.widgets", 4096, [10, 5, 1]),
  ]

  @Test("S10, S11, S12: a push type has its topic suffix, its limit and its priorities", arguments: table)
  func hasItsRules(word: String, suffix: String, limit: Int, priorities: Set<Int>) throws {
    let type = try #require(PushType(rawValue: word))
    #expect(type.suffix.text == suffix)
    #expect(type.payloadLimit == limit)
    #expect(Set(Priority.allCases.filter { type.allows($0, strict: false) }.map(\.rawValue)) == priorities)
  }

  @Test("a push type has eleven values")
  func eleven() {
    #expect(PushType.allCases.map(\.rawValue).sorted() == Self.table.map(\.word).sorted())
  }

  @Test("every type passes with its own suffix and a token of that service", arguments: table)
  func passesWithItsSuffix(word: String, suffix: String, limit: Int, priorities: Set<Int>) throws {
    var gate = try Gate()
    // Device management has its own topics, and needs a certificate.
    let app = word == "mdm" ? "com.apple.mgmt.External.x" : "com.example.app"
    if word == "mdm" { gate.connect(.good.with(topics: [app])) }
    gate.directory.topics["activity"] = app + suffix
    var push = Push().with("apns-topic", app + suffix).with("apns-push-type", word)
    push.set("apns-priority", "5")
    push.body = [UInt8](repeating: 0x7B, count: limit)
    #expect(gate.send(push).accepted?.type?.rawValue == word)
    push.body.append(0x7D)
    #expect(gate.reason(push) == .payloadTooLarge)
    for priority in [10, 5, 1] {
      push.body = [0x7B, 0x7D]
      push.set("apns-priority", String(priority))
      #expect(gate.reason(push) == (priorities.contains(priority) ? nil : .badPriority))
    }
  }

  @Test("S10: every type refuses the suffixes of all others", arguments: table)
  func refusesOtherSuffixes(word: String, suffix: String, limit: Int, priorities: Set<Int>) throws {
    var gate = try Gate()
    for other in TopicSuffix.allCases where other.text != suffix {
      gate.directory.topics["activity"] = "com.example.app" + other.text
      let push = Push().with("apns-topic", "com.example.app" + other.text).with("apns-push-type", word)
        .with("apns-priority", "5")
      #expect(gate.reason(push) == .invalidPushType, "\(word) with \(other.text)")
    }
  }

  @Test(
    "S166: any value that Apple does not document is an invalid push type",
    arguments: [
      "push-to-start", "", "Alert", "ALERT", "alert ", "liveActivity", "live-activity", "silent", "backgrounds",
    ])
  func unknownWords(word: String) throws {
    var gate = try Gate()
    #expect(gate.reason(Push().with("apns-push-type", word)) == .invalidPushType)
  }
}
