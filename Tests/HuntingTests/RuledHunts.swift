import Timeline
import WireFormats

@testable import Hunting

/// Tests of hunts that are played against a rule in place of a backend.
protocol RuledHunts {}

extension RuledHunts {
  static var ground: HuntingGround {
    var ground = HuntingGround(door: .scenario, length: .seconds(1200), devices: (0..<10).map { "d\($0)" })
    ground.pushes = 200
    ground.words = [
      .init("event", "start", count: 10), .init("event", "update", count: 150), .init("event", "end", count: 10),
      .init("pushType", "liveactivity", count: 170), .init("pushType", "alert", count: 30),
    ]
    ground.calls = ["activityToken", "deviceToken", "pushToStartToken"]
    ground.tokenKinds = ["device", "pushToStart", "update"]
    ground.canRestart = true
    return ground
  }

  static var failure: HuntFailure {
    HuntFailure(HuntFailure.Group("lastStateLost", "a lost answer"), "a card stays behind")
  }

  static var abort: Perturbation { .fault(["abort": true], [.init("limit", 1)]) }
  static var lost: Perturbation {
    .fault(["loseAnswer": "CANCEL"], [.init("when", ["event": "update", "skip": 8]), .init("limit", 6)])
  }

  /// Options of a hunt that plays only its kept examples.
  static var keptOnly: Hunt.Options {
    var options = Hunt.Options()
    options.modes = []
    options.isKnownOnly = true
    return options
  }

  static func kinds(_ variant: Variant) -> Set<String> { Set(variant.perturbations.map(\.kind)) }

  static func result(failing isFailing: Bool, features: [String] = []) -> VariantResult {
    var result = VariantResult()
    result.lines = ["d0: a card"]
    result.features = features
    if isFailing { result.failures = [failure] }
    return result
  }

  /// Plays a hunt.
  func hunt(
    _ options: Hunt.Options, plays: Int, result: (Variant) -> VariantResult
  ) -> (hunt: Hunt, variants: [Variant]) {
    var hunt = Hunt(options)
    var variants: [Variant] = []
    while variants.count < plays, case .play(let variant) = hunt.next() {
      variants.append(variant)
      hunt.take(result(variant), of: variant.number, ground: Self.ground)
    }
    return (hunt, variants)
  }
}
