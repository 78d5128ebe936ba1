import APNs
import Devices
import Testing
import Timeline
import WireFormats
@testable import Simulation

@Suite("The limit of streams after a rejection")
struct StreamsAfterRejectionTests {
  private func stage(_ narrows: Bool) -> Stage {
    var rulebook = Rulebook()
    rulebook.narrowsStreams = narrows
    return Stage(rulebook: rulebook)
  }

  private func commands(_ stage: inout Stage) -> [String] {
    stage.events().compactMap { if case .wire(_, let command) = $0 { command.name } else { nil } }
  }

  @Test("the limit falls to 1 with the first of several rejections, and rises with the next accepted push")
  func falls() throws {
    var stage = stage(true)
    let token = try stage.token()
    _ = try stage.push(token)
    #expect(commands(&stage).isEmpty)
    #expect(try stage.push("ab").status == 400)
    let events = stage.events()
    let answered = events.firstIndex { if case .push = $0 { true } else { false } }
    let narrowed = events.firstIndex { event in
      if case .wire(Stage.sandbox, .streams(1, open: .finish, excessStreams: nil)) = event { true } else { false }
    }
    #expect(try #require(answered) < #require(narrowed))
    _ = try stage.push("ab")
    #expect(commands(&stage).isEmpty)
    _ = try stage.push(token)
    #expect(commands(&stage) == ["streamsAsBefore"])
    var usual = self.stage(false)
    for token in [token, "ab", token] { _ = try usual.push(token) }
    #expect(commands(&usual).isEmpty)
  }

  @Test("the limit does not fall with a 410, nor below the one that a fault has set")
  func exceptions() throws {
    var stage = stage(true)
    let token = try stage.token()
    _ = try stage.push(token)
    try stage.order(.uninstall(app: nil))
    _ = try stage.push(token)
    stage.advance(by: .seconds(86400))
    _ = stage.events()
    #expect(try stage.push(token).status == 410)
    #expect(commands(&stage).isEmpty)
    var fault = Fault("f", .connection(.streams(5, open: .finish, excessStreams: nil, back: nil, after: .zero)))
    fault.limit = 1
    try stage.world.perform(.setFault(fault), at: stage.now)
    _ = try stage.push(stage.token(on: 1))
    #expect(commands(&stage) == ["streams"])
    _ = try stage.push("ab")
    #expect(commands(&stage).isEmpty)
  }
}
