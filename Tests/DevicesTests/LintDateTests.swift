import Devices
import Testing
import Timeline

@Suite("Lint of a date in content")
struct LintDateTests {
  private static func profile(_ date: ContentSchema) -> AppProfile {
    AppProfile(
      bundleID: "com.example.app", teamID: "TEAM000001",
      types: [AttributesType("Match", contentState: .object([.init("at", date)]))])
  }

  /// Places that lint would have changed.
  private func findings(_ date: String, _ schema: ContentSchema = .date) -> [String] {
    let body = #"{"aps":{"timestamp":1790000000,"event":"update","content-state":{"at":\#(date)}}}"#
    return PayloadLint(
      Array(body.utf8), profile: Self.profile(schema), type: 0, os: OSVersion(26, 1),
      at: Instant(seconds: 1_790_000_000)
    ).findings.map(\.path)
  }

  @Test("Lint reports a date that counts from 1970 or in milliseconds, because dates count from 2001")
  func epochs() {
    let place = ["aps.content-state.at"]
    #expect(findings("811692800") == [] && findings("5") == [])
    #expect(findings("1790000000") == place && findings("1790000000000") == place)
  }

  @Test("Lint finds a date in an enum, and among the keys and values of a dictionary")
  func nested() {
    let phase = ContentSchema.caseEnum([.init("over", .object([])), .init("rain", .object([.init("until", .date)]))])
    #expect(findings(#"{"rain":{"until":1790000000}}"#, phase) == ["aps.content-state.at.rain.until"])
    #expect(findings(#"{"over":{}}"#, phase) == [])
    #expect(findings("[1790000000,5]", .pairs(.date, .int)) == ["aps.content-state.at[0]"])
    #expect(findings("[5,1790000000]", .pairs(.int, .date)) == ["aps.content-state.at[1]"])
    #expect(findings(#"{"7":1790000000}"#, .intDictionary(.date)) == ["aps.content-state.at.7"])
  }
}
