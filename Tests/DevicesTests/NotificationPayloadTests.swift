import APNs
import Devices
import Testing
import WireFormats

@Suite("Payloads of notifications")
struct NotificationPayloadTests {
  @Test("all members are read")
  func all() throws {
    let payload = try NotificationPhone.aps(
      #"""
      "alert":{"title":"t","body":"b"},"badge":3,"sound":"cheer.caf","thread-id":"match","category":"SCORE",
      "target-content-id":"window","mutable-content":1,"content-available":1,"interruption-level":"time-sensitive",
      "relevance-score":0.5,"filter-criteria":"work"
      """#)
    #expect(payload.alert == AlertContent(title: .literal("t"), body: .literal("b")))
    #expect(payload.badge == 3 && payload.sound == NotificationSound("cheer.caf"))
    #expect(payload.threadID == "match" && payload.category == "SCORE" && payload.targetContentID == "window")
    #expect(payload.isMutable && payload.isContentAvailable && payload.interruption == .timeSensitive)
    #expect(payload.relevance == 0.5 && payload.filterCriteria == "work" && payload.remarks.list.isEmpty)
    #expect(payload.hasVisible && !payload.isBackground)
  }

  @Test("an empty aps asks for nothing")
  func empty() throws {
    let payload = try NotificationPhone.aps("")
    #expect(!payload.hasVisible && !payload.isBackground && payload.interruption == .active)
    #expect(payload.alert == nil && payload.badge == nil && payload.sound == nil && payload.remarks.list.isEmpty)
  }

  @Test(
    "without an aps object nothing is read", arguments: ["{}", #"{"aps":1}"#, #"{"aps":[]}"#, #"{"aps":null}"#, "[]"])
  func noAps(text: String) throws {
    let payload = try NotificationPhone.payload(text)
    #expect(!payload.hasVisible && !payload.isBackground && payload.remarks.list == [.apsMissing])
  }

  @Test("S122: an alert beside aps is not shown, with a remark unless there is one within")
  func beside() throws {
    let payload = try NotificationPhone.payload(#"{"aps":{"badge":1},"alert":"a"}"#)
    #expect(payload.alert == nil && payload.remarks.list == [.alertBesideAps])
    let both = try NotificationPhone.payload(#"{"aps":{"alert":"b"},"alert":"a"}"#)
    #expect(both.alert == AlertContent(body: .literal("b")) && both.remarks.list.isEmpty)
  }

  @Test(
    "S62: a silent push has content-available 1 and neither alert, badge nor sound",
    arguments: [
      (#""content-available":1"#, true), (#""content-available":1.0"#, true), (#""content-available":0"#, false),
      (#""content-available":true"#, true), (#""content-available":"1""#, false), (#""content-available":2"#, false),
      (#""content-available":1,"alert":"a""#, false), (#""content-available":1,"badge":0"#, false),
      (#""content-available":1,"sound":"default""#, false), (#""content-available":1,"sound":"""#, true),
      (#""content-available":1,"alert":null"#, true), (#""content-available":1,"mutable-content":1"#, true),
      ("", false),
    ])
  func background(members: String, isBackground: Bool) throws {
    #expect(try NotificationPhone.aps(members).isBackground == isBackground)
  }

  @Test(
    "a badge is a whole number of at least zero, in any notation",
    arguments: [
      ("0", 0), ("7", 7), ("7.0", 7), ("70e-1", 7), ("-0", 0), ("9223372036854775807", Int.max),
      ("1e15", 1_000_000_000_000_000),
    ])
  func badge(text: String, badge: Int) throws {
    let payload = try NotificationPhone.aps(#""badge":\#(text)"#)
    #expect(payload.badge == badge && payload.remarks.list.isEmpty)
  }

  @Test(
    "any other badge is ignored",
    arguments: ["-1", "1.5", "1e300", "-1e300", "18446744073709551615", #""7""#, "true", "[1]", "{}"])
  func wrongBadge(text: String) throws {
    let payload = try NotificationPhone.aps(#""badge":\#(text)"#)
    #expect(payload.badge == nil && payload.remarks.list == [.badgeValue] && !payload.hasVisible)
  }

  @Test("each level is read by its name", arguments: InterruptionLevel.allCases)
  func level(level: InterruptionLevel) throws {
    let payload = try NotificationPhone.aps(#""interruption-level":"\#(level.rawValue)""#)
    #expect(payload.interruption == level && payload.remarks.list.isEmpty)
  }

  @Test(
    "any other level is read as active",
    arguments: [#""Passive""#, #""timeSensitive""#, #""""#, "1", "[]", "{}", "true"])
  func wrongLevel(text: String) throws {
    let payload = try NotificationPhone.aps(#""interruption-level":\#(text)"#)
    #expect(payload.interruption == .active && payload.remarks.list == [.interruptionValue])
  }

  @Test("S123: the score of a notification is from 0 to 1", arguments: [("0", 0), ("1", 1), ("0.25", 0.25)])
  func score(text: String, score: Double) throws {
    #expect(try NotificationPhone.aps(#""relevance-score":\#(text)"#).relevance == score)
  }

  @Test("any other score is ignored", arguments: ["-0.1", "1.1", "100", "1e308", #""1""#, "true"])
  func wrongScore(text: String) throws {
    let payload = try NotificationPhone.aps(#""relevance-score":\#(text)"#)
    #expect(payload.relevance == nil && payload.remarks.list == [.relevanceValue])
  }

  static let members: [(name: String, sound: String, remark: PayloadRemark)] = [
    ("alert", #""a""#, .alertType), ("badge", "1", .badgeValue), ("sound", #""default""#, .soundType),
    ("thread-id", #""a""#, .threadType), ("category", #""a""#, .categoryType),
    ("target-content-id", #""a""#, .targetType), ("mutable-content", "1", .mutableValue),
    ("content-available", "1", .contentAvailableValue), ("interruption-level", #""passive""#, .interruptionValue),
    ("relevance-score", "1", .relevanceValue), ("filter-criteria", #""a""#, .filterType),
  ]

  private func aps(spoiling spoiled: Int?, with value: String) throws -> NotificationPayload {
    let members = Self.members.enumerated().map { index, member in
      #""\#(member.name)":\#(index == spoiled ? value : member.sound)"#
    }
    return try NotificationPhone.aps(members.joined(separator: ","))
  }

  @Test("one member of a wrong type causes a remark and does not affect the others", arguments: members.indices)
  func spoiled(index: Int) throws {
    let sound = try aps(spoiling: nil, with: "")
    #expect(sound.remarks.list.isEmpty)
    for value in ["[]", "[[{}]]", "-3.5"] {
      let payload = try aps(spoiling: index, with: value)
      #expect(payload.remarks.list == [Self.members[index].remark], "\(value)")
      #expect(index == 0 || payload.alert == sound.alert)
      #expect(index == 1 || payload.badge == sound.badge)
      #expect(index == 2 || payload.sound == sound.sound)
      #expect(index == 3 || payload.threadID == "a")
      #expect(index == 4 || payload.category == "a")
      #expect(index == 5 || payload.targetContentID == "a")
      #expect(index == 6 || payload.isMutable)
      #expect(index == 7 || payload.isContentAvailable)
      #expect(index == 8 || payload.interruption == .passive)
      #expect(index == 9 || payload.relevance == 1)
      #expect(index == 10 || payload.filterCriteria == "a")
    }
  }

  @Test("a flag that is true or false counts as 1 or 0 with a remark, unless booleans are not read")
  func booleans() throws {
    for (value, isSet) in [("true", true), ("false", false)] {
      let text =
        #"{"aps":{"alert":"a","mutable-content":\#(value),"content-available":\#(value),"#
        + #""sound":{"critical":\#(value)}}}"#
      let read = try NotificationPhone.payload(text)
      #expect(read.isMutable == isSet && read.isContentAvailable == isSet && read.sound?.isCritical == isSet)
      #expect(read.remarks.list == [.flagBoolean])
      let strict = try JSONNode.read(Array(text.utf8)) { NotificationPayload($0, readingBooleans: false) }
      #expect(!strict.isMutable && !strict.isContentAvailable && strict.sound?.isCritical == false)
      #expect(strict.remarks.list == [.soundCriticalValue, .mutableValue, .contentAvailableValue])
    }
  }

  @Test("An alert, a badge or a sound of a background push has a remark")
  func visibleInBackground() throws {
    for member in [#""alert":"a""#, #""badge":0"#, #""sound":"default""#] {
      let text = Array(#"{"aps":{"content-available":1,\#(member)}}"#.utf8)
      #expect(
        try JSONNode.read(text) { NotificationPayload($0, as: .background) }.remarks.list == [.visibleInBackground])
      #expect(try JSONNode.read(text) { NotificationPayload($0, as: .alert) }.remarks.isEmpty)
    }
  }

  @Test("A member that is null is read as a missing one", arguments: members.indices)
  func null(index: Int) throws {
    #expect(try aps(spoiling: index, with: "null").remarks.list.isEmpty)
  }

  @Test("every member invalid: each remark once, and nothing to show")
  func allWrong() throws {
    let members = Self.members.map { #""\#($0.name)":[]"# }.joined(separator: ",")
    let payload = try NotificationPhone.aps(members)
    #expect(Set(payload.remarks.list) == Set(Self.members.map(\.remark)))
    #expect(payload.remarks.list.count == Self.members.count)
    #expect(!payload.hasVisible && !payload.isBackground && !payload.isMutable)
  }

  @Test("very long strings are kept in full, and truncated where they are rendered")
  func long() throws {
    let long = String(repeating: "ü", count: 20_000)
    let payload = try NotificationPhone.aps(#""alert":"\#(long)","thread-id":"\#(long)""#)
    #expect(payload.threadID == long)
    #expect(payload.alert?.rendered(StringTable(), in: "en").body.utf8.count == 4096)
  }

  @Test("each remark has its own name and a sentence")
  func remarks() {
    #expect(Set(PayloadRemark.allCases.map(\.sentence)).count == PayloadRemark.allCases.count)
    #expect(PayloadRemark.allCases.count < 32, "each is a bit")
    #expect(PayloadRemark.allCases.allSatisfy { $0.rawValue.allSatisfy { $0.isLowercase || $0 == "-" } })
  }
}
