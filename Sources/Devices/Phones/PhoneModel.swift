import APNs
import Timeline

/// What all phones of a fleet share: the apps, their policy, their throttles and the seed's random streams.
///
/// A class, so that a push passes one reference. Immutable.
package final class PhoneModel: Sendable {
  package let apps: [AppProfile]
  /// Decoders of the content states of each app's types, for the current and the next version. Kept here because
  /// copying a type for every push would cost more than the rest.
  package let decoders: [[ContentDecoder?]]
  private let nextDecoders: [[ContentDecoder?]]
  package let policy: DevicePolicy
  package let budget: BudgetPlan
  package let mix: PhoneMix
  let draws: PhoneRandomness

  package init(
    apps: [AppProfile], policy: DevicePolicy = DevicePolicy(), budget: BudgetPlan = BudgetPlan(),
    mix: PhoneMix = PhoneMix(),
    seed: UInt64
  ) {
    self.apps = apps
    decoders = apps.map { $0.types.map(\.contentState) }
    nextDecoders = apps.map { ($0.traits.nextTypes ?? $0.types).map(\.contentState) }
    self.policy = policy
    self.budget = budget
    self.mix = mix
    draws = PhoneRandomness(seed: seed)
  }

  private init(_ other: PhoneModel, _ prompt: PromptPolicy) {
    apps = other.apps
    decoders = other.decoders
    nextDecoders = other.nextDecoders
    var policy = other.policy
    policy.prompt = prompt
    self.policy = policy
    budget = other.budget
    mix = other.mix
    draws = other.draws
  }

  /// The decoders of the installed version's types.
  func decoders(_ app: Int, isUpdated: Bool) -> [ContentDecoder?] { isUpdated ? nextDecoders[app] : decoders[app] }

  /// The same with another policy for the Allow question.
  package func asking(_ prompt: PromptPolicy) -> PhoneModel { PhoneModel(self, prompt) }

  /// Whether an untouched phone is online.
  package func isOnline(_ device: DeviceID) -> Bool { !draws.offline.strikes(mix.offline, UInt64(device.number)) }

  package func hasIsland(_ device: DeviceID) -> Bool { draws.island.strikes(mix.island, UInt64(device.number)) }
}
