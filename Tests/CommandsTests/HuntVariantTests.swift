import Foundation
import Grammar
import Hunting
import ScenarioFiles
import Scenarios
import Testing
import Timeline
import WireFormats

@testable import RunCommands

@Suite("Variants of a hunt")
struct HuntVariantTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")

  private static func ground(_ story: Story) -> HuntingGround {
    var ground = HuntingGround(
      door: .scenario, length: story.length, devices: (0..<10).map { "d\($0)" })
    ground.pushes = 90
    ground.words = [
      .init("event", "start", count: 10), .init("event", "update", count: 70), .init("event", "end", count: 10),
      .init("pushType", "liveactivity", count: 90),
    ]
    ground.calls = ["pushToStartToken", "activityToken", "action.follow"]
    ground.tokenKinds = ["pushToStart", "update"]
    ground.canRestart = true
    ground.hasBroadcasts = true
    return ground
  }

  /// The variants of a hunt in which every variant shows something new.
  private static func variants(_ count: Int, seed: UInt64, _ ground: HuntingGround) -> [Variant] {
    var options = Hunt.Options()
    options.seed = seed
    var hunt = Hunt(options)
    var made: [Variant] = []
    while made.count < count, case .play(let variant) = hunt.next() {
      made.append(variant)
      var result = VariantResult()
      result.features = ["\(variant.number)"]
      hunt.take(result, of: variant.number, ground: ground)
    }
    return made
  }

  @Test("every variant that is drawn is a valid scenario", arguments: [1, 2, 3, 4] as [UInt64])
  func valid(seed: UInt64) throws {
    let path = Self.folder.appending(path: "Examples/cricket/match.yaml").path
    let text = try String(contentsOfFile: path, encoding: .utf8)
      .replacing("  tokens: world\n", with: "  tokens: world\n  persists: true\n")
    let file = try ScenarioFile.parse(text, named: path, live: LiveOptions())
    let story = try Story(file)
    let variants = Self.variants(400, seed: seed, Self.ground(story))
    #expect(variants.count == 400)
    for variant in variants {
      do {
        _ = try story.with(variant.perturbations, StoryCut(), seed: variant.seed)
      } catch {
        Issue.record("seed \(seed), \(variant.perturbations.map(\.value.text)): \(error)")
      }
    }
  }

  @Test("the same seed gives the same variants, another seed others")
  func seeds() throws {
    let file = try ScenarioFile.parse(DemoStory.text, named: "demo")
    let ground = Self.ground(try Story(file))
    let first = Self.variants(200, seed: 7, ground)
    #expect(first == Self.variants(200, seed: 7, ground))
    #expect(first != Self.variants(200, seed: 8, ground))
  }

  @Test("a variant in which a step of the story could not be done is not judged")
  func impossibleStep() throws {
    let text = """
      settings: {fleet: {devices: 2, ideal: true}}
      for: 5m
      steps:
        - {at: 1m, push: {payload: {aps: {alert: Goal}}}}
        - {at: 3m, do: open, device: d1}
      expect: [{pushes: {}, count: 2}]
      """
    let story = try Story(try ScenarioFile.parse(text, named: "story.yaml"))
    func result(uninstallingAt time: String) throws -> VariantResult {
      let entry: JSONValue = [
        "when": ["device": "d1"], "from": .string(time), "then": ["devices": ["do": "uninstall"]],
      ]
      let uninstall = try #require(Perturbation(["in": "faults", "kind": "devices", "entry": entry]))
      var options = Hunt.Options()
      (options.modes, options.isKnownOnly, options.kept) = ([], true, [[uninstall]])
      var hunt = Hunt(options)
      let player = StoryPlayer(StoryPlayer.Shared(story, .provider(nil)) { false })
      while case .play(let variant) = hunt.next() {
        let (result, ground) = try #require(try player.play(variant))
        guard variant.perturbations.isEmpty else { return result }
        hunt.take(result, of: variant.number, ground: ground)
      }
      Issue.record("the variant was not played")
      return VariantResult()
    }
    #expect(try result(uninstallingAt: "4m").isJudged)
    let impossible = try result(uninstallingAt: "2m")
    #expect(impossible.isPlayed && !impossible.isJudged && impossible.failures == [])
  }
}
