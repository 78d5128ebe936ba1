import APNs
import Devices
import Testing
import Timeline
import WireFormats
@testable import Simulation

@Suite("A phone that takes time to acknowledge a push")
struct AcknowledgementTests {
  private func stage(_ change: (inout PushStore.Plan) -> Void = { _ in }) -> Stage {
    var plan = PushStore.Plan()
    plan.acknowledgement = .seconds(1) ... .seconds(2)
    change(&plan)
    return Stage(store: plan, rulebook: Stage.unhurried)
  }

  @Test("the last push of a burst arrives, and overwrites the others")
  func burst() throws {
    var stage = stage()
    let records = try (0..<4).map { _ in
      defer { stage.advance(by: .milliseconds(100)) }
      return try stage.push(stage.token())
    }
    #expect(records.allSatisfy { $0.status == 200 && $0.fate.causes == ["unacknowledged"] })
    stage.advance(by: .seconds(3))
    #expect(records.map { stage.fate(of: $0).causes.first } == ["overwritten", "overwritten", "overwritten", "shown"])
    #expect(stage.screen().notifications.count == 1)
  }

  @Test("pushes to other tokens or with other collapse ids do not overwrite it, unless the scope is the app")
  func scopes() throws {
    for scope in PushStore.ReplacementScope.allCases {
      var stage = stage { $0.per = scope }
      let body = #"{"aps":{"alert":"A"}}"#
      let first = try stage.send(try stage.token(), body, ["apns-collapse-id": "a"])
      _ = try stage.send(try stage.token(), body, ["apns-collapse-id": "b"])
      _ = try stage.send(try stage.token(on: 1), body, ["apns-collapse-id": "a"])
      #expect((stage.fate(of: first) == .discarded(.overwritten)) == (scope == .app))
    }
  }

  @Test("a push that is acknowledged in time is not overwritten, and all are delivered without the setting")
  func apart() throws {
    var stage = stage()
    for _ in 0..<3 {
      _ = try stage.push(stage.token())
      stage.advance(by: .seconds(3))
    }
    #expect(stage.screen().notifications.count == 3)
    var usual = Stage()
    for _ in 0..<3 { _ = try usual.push(usual.token()) }
    #expect(usual.screen().notifications.count == 3)
  }
}
