import APNs
import Devices
import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// Observed: ios-library issue 411, iOS issue 4677 of home-assistant.
@Suite("A date in content that counts from 1970")
struct ContentDateTests {
  private static func stage(_ content: ContentSchema, _ attributes: ContentSchema? = nil) throws -> Stage {
    let type = AttributesType("MatchAttributes", attributes: attributes, contentState: content)
    return Stage(apps: [AppProfile(bundleID: Stage.app, teamID: Stage.team, types: [type])])
  }

  private static let ends = ContentSchema.object([.init("endsAt", .date)])

  private func kinds(_ stage: inout Stage) -> [AuditFinding.Kind] {
    var logs = EventLogs(pushLogCapacity: 100, audits: true)
    logs.read(stage.events())
    return logs.auditor?.findings.map(\.kind) ?? []
  }

  static let contents: [(ContentSchema, String, isFound: Bool)] = [
    (ends, #"{"endsAt":1795780600}"#, true), (ends, #"{"endsAt":1795780600000}"#, true),
    (ends, #"{"endsAt":817472900}"#, false), (ends, #"{"endsAt":5}"#, false),
    (.object([.init("at", .optional(.array(.date)))]), #"{"at":[5,1795780600]}"#, true),
    (.object([.init("window", .dateRange)]), #"{"window":[5,1795780600]}"#, true),
    (.object([.init("count", .double)]), #"{"count":1795780600}"#, false),
  ]

  @Test(
    "content with a date that counts from 1970 is applied, with a remark in the story and a finding",
    arguments: contents)
  func content(_ schema: ContentSchema, _ content: String, _ isFound: Bool) throws {
    var stage = try Self.stage(schema)
    try stage.order(.startActivity(app: nil, attributesType: nil))
    let record = try stage.pushActivity("update", spoilt: ["content-state": content, "timestamp": "1700000900"])
    #expect(record.fate.updates(0), "\(record.fate)")
    #expect(try stage.story(of: record).contains { $0.cause == "date-since-1970" } == isFound)
    #expect(kinds(&stage) == (isFound ? [.dateSince1970] : []))
  }

  @Test("a date that counts from 1970 is found in the attributes of a start too")
  func start() throws {
    var stage = try Self.stage(.object([]), .object([.init("kickOff", .date)]))
    let record = try stage.pushActivity("start", spoilt: ["attributes": #"{"kickOff":1795780600}"#])
    #expect(record.fate.starts(0), "\(record.fate)")
    #expect(try stage.story(of: record).contains { $0.cause == "date-since-1970" })
    #expect(kinds(&stage) == [.dateSince1970])
  }
}
