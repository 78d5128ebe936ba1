import Devices
import Foundation
import Testing
import Timeline

@testable import Orders
@testable import Scenarios
@testable import Simulation

/// Days with every order and every fault of the grammar, on worlds that check themselves (Sources/Simulation/Checks).
@Suite("Random days of the whole grammar")
struct GrammarDaysTests {
  private static let steps = 250

  /// `PUSHPIT_DAYS=300` plays the days of so many seeds, `PUSHPIT_DAYS=57-57` that of one.
  private static let seeds: Range<UInt64> = {
    let given = (ProcessInfo.processInfo.environment["PUSHPIT_DAYS"] ?? "30").split(separator: "-").compactMap {
      UInt64($0)
    }
    return given.count == 2 && given[0] <= given[1] ? given[0]..<given[1] + 1 : 0..<(given.first ?? 30)
  }()

  /// `PUSHPIT_DAYS_TAPES=FOLDER` writes the tape of each day there, for a comparison of two builds.
  private static let tapes = ProcessInfo.processInfo.environment["PUSHPIT_DAYS_TAPES"].map {
    URL(filePath: $0, directoryHint: .isDirectory)
  }

  /// Plays a day in three worlds, which receive pushes each in its way.
  @Test(
    "random days end the same on every phone, whichever way pushes are received, live or played from tape",
    arguments: seeds)
  func ways(_ seed: UInt64) throws {
    var day = try GrammarDay(seed: seed)
    let before = day.record()
    var others = try [Stage.Way.shared, .examined].map { try GrammarDay(seed: seed, way: $0) }
    for index in others.indices { _ = others[index].record() }
    for step in 0...Self.steps {
      let expected = try step < Self.steps ? day.step() : day.end()
      for index in others.indices {
        let found = try step < Self.steps ? others[index].step() : others[index].end()
        guard found != expected else { continue }
        let place = zip(expected, found).enumerated().first { $1.0 != $1.1 }?.offset
        let (mine, its) = (place.map { "\(expected[$0])" } ?? "", place.map { "\(found[$0])" } ?? "")
        Issue.record(
          """
          seed \(seed), step \(step), \(others[index].stage.way): \(found.count) events, not \(expected.count); \
          \(its) in place of \(mine)
          """)
        return
      }
    }
    for other in others {
      #expect(other.stage.batches.map(\.calls) == day.stage.batches.map(\.calls), "seed \(seed), \(other.stage.way)")
      // What is sent to many devices at once is kept as it was written, with the token of another.
      if other.stage.way == .shared { continue }
      let isSame = other.stage.world.fleet.phones == day.stage.world.fleet.phones
      #expect(isSame, "seed \(seed), \(other.stage.way): another phone")
    }
    let reel = try Reel(day.stage.batches)
    if let folder = Self.tapes { try Data(reel.bytes).write(to: folder.appending(path: "\(seed).tape")) }
    let (player, difference) = reel.play(in: before)
    #expect(difference == nil, "seed \(seed): \(difference?.text ?? "")")
    let isSame = player.world.fleet.phones == day.stage.world.fleet.phones
    #expect(isSame, "seed \(seed), from the tape: another phone")
  }

  @Test("random days use every word of the grammar, every action and order, and broadcasts in portions")
  func words() throws {
    var missing: Set<String> = Set(GrammarDay.kinds + ["broadcast in portions"])
    for name in DeviceAction.names {
      missing.formUnion(
        ["do \(name)"] + (["do"] + DeviceAction.details(of: name).map(\.name)).map { "do \(name) \($0)" })
    }
    for (what, keys) in [
      ("then", ConsequenceReader.members), ("when", FaultReader.conditions), ("fault", FaultReader.members),
      ("where", SelectionReader.members), ("token", TokenReader.members),
    ] {
      missing.formUnion(keys.map { "\(what) \($0)" })
    }
    for seed: UInt64 in 1000..<1400 where !missing.isEmpty {
      var day = try GrammarDay(seed: seed)
      for _ in 0..<Self.steps { _ = try day.step() }
      missing.subtract(day.words.union(day.done))
    }
    #expect(missing.isEmpty, "in 400 days nobody wrote \(missing.sorted())")
  }
}
