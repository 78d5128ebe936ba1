import Devices
import Testing
import Timeline

@Suite("Lint")
struct LintRestTests {
  private static let types = [
    AttributesType(
      "Match", attributes: .object([.init("home", .string)]), contentState: .object([.init("score", .int)]))
  ]
  private static let sound =
    #""event":"start","timestamp":1790000000,"attributes-type":"Match","attributes":{"home":"A"},"#
    + #""content-state":{"score":1},"alert":{"title":"Go","body":"!"}"#

  private func lint(
    _ aps: String, _ types: [AttributesType] = types, os: OSVersion = OSVersion(26, 1)
  ) -> [PayloadLint.Finding] {
    let profile = AppProfile(bundleID: "com.example.app", teamID: "TEAM000001", types: types)
    return PayloadLint(
      Array(#"{"aps":{\#(aps)}}"#.utf8), profile: profile, type: 0, os: os, at: Instant(seconds: 1_790_000_000)
    ).findings
  }

  @Test("Lint of a valid start finds nothing") func sound() { #expect(lint(Self.sound) == []) }

  @Test("Lint does not stop at the first problem")
  func all() {
    let found = lint(
      #""event":"start","attributes-type":"match","attributes":{"away":"B"},"content-state":{"score":1.5}"#)
    let causes: [DropCause] = [
      .noAlertConfiguration, .unknownAttributesType, .attributesDecode, .contentStateDecode, .missingTimestamp,
    ]
    #expect(found.allSatisfy { $0.weight == .lost })
    #expect(
      Set(found.map { String($0.sentence.prefix { $0 != ":" }) }) == Set(causes.map(\.rawValue)), "\(found)")
    #expect(found.count == causes.count)
  }

  @Test("Lint of a start whose alert is no dictionary says only that the start is lost")
  func alert() {
    let found = lint(Self.sound.replacing(#"{"title":"Go","body":"!"}"#, with: #""Go""#))
    #expect(found.map(\.weight) == [.lost] && found[0].sentence.hasPrefix("alert-not-dictionary"), "\(found)")
  }

  static let timestamps: [(timestamp: String, words: String?)] = [
    ("-5", "(-5 is before 2001)"), ("0", "(0 is before 2001)"), ("0.5", "count from now"), ("60", "count from now"),
    ("811692800", "count from 2001"), ("978307200", nil), ("1790000000", nil), ("4000000000", nil),
  ]

  @Test(
    "Lint calls an update or end lost whose timestamp is before 2001, and names the unit that it seems to have",
    arguments: timestamps)
  func timestamp(timestamp: String, words: String?) {
    for event in ["update", "end"] {
      let found = lint(#""event":"\#(event)","timestamp":\#(timestamp),"content-state":{"score":1}"#)
      #expect(found.map(\.weight) == (words == nil ? [] : [.lost]), "\(found)")
      guard let words else { continue }
      #expect(
        found.first?.sentence.hasPrefix("stale-timestamp: ") == true && found.first?.sentence.contains(words) == true)
    }
  }

  @Test("Lint lists the content and the attributes of a type without a schema as unchecked")
  func unchecked() {
    let found = lint(Self.sound, [AttributesType("Match")])
    #expect(found.map(\.path) == ["aps.attributes", "aps.content-state"])
    #expect(found.allSatisfy { $0.weight == .unchecked && $0.sentence.contains("Match") })
    let update = lint(#""event":"update","timestamp":1790000000,"content-state":{}"#, [AttributesType("Match")])
    #expect(update.map(\.path) == ["aps.content-state"])
  }

  @Test(
    "Lint of a start before iOS 17.2 reports that there is no token for it",
    arguments: [(16, 1), (17, 1), (17, 2), (18, 0)])
  func old(version: (Int, Int)) {
    let os = OSVersion(version.0, version.1)
    let found = lint(Self.sound, os: os)
    let parsed = found.filter { $0.path == "aps.event" && $0.weight == .lost }
    #expect(parsed.count == (os < OSVersion(17, 2) ? 1 : 0))
    #expect(parsed.allSatisfy { $0.sentence.contains("iOS \(os.text) ") })
  }

  @Test("Lint reports that a relevance that is not a number counts as 0")
  func relevance() {
    #expect(lint(Self.sound + #","relevance-score":"high""#).map(\.path) == ["aps.relevance-score"])
    #expect(lint(Self.sound + #","relevance-score":75.5"#) == [])
  }
}
