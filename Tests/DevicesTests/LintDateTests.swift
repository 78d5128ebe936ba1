import Devices
import Testing
import Timeline

@Suite("Lint of a date in content")
struct LintDateTests {
  private static let profile = AppProfile(
    bundleID: "com.example.app", teamID: "TEAM000001",
    types: [
      AttributesType("Match", contentState: .object([.init("at", .date)]))
    ])

  /// Places that lint would have changed.
  private func findings(_ date: String, _ epoch: DevicePolicy.DateEpoch) -> [String] {
    var policy = DevicePolicy()
    policy.contentDates = epoch
    let body = #"{"aps":{"timestamp":1790000000,"event":"update","content-state":{"at":\#(date)}}}"#
    return PayloadLint(
      Array(body.utf8), Self.profile, type: 0, os: OSVersion(26, 1), policy, at: Instant(seconds: 1_790_000_000)
    ).findings.map(\.path)
  }

  @Test("is counted from 2001 or from 1970, and the wrong epoch is reported")
  func epochs() {
    let place = ["aps.content-state.at"]
    let today = (from1970: "1790000000", from2001: "811692800", milliseconds: "1790000000000")
    #expect(findings(today.from2001, .since2001) == [] && findings(today.from1970, .since2001) == place)
    #expect(findings(today.from2001, .since1970) == place && findings(today.from1970, .since1970) == [])
    for epoch in [DevicePolicy.DateEpoch.since2001, .since1970] {
      #expect(findings(today.milliseconds, epoch) == place && findings("5", epoch) == [])
    }
  }
}
