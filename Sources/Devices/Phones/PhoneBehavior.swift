import APNs
import Timeline

/// Behavior that all phones of a fleet share: the apps, their policy, their throttles and the seed's random streams.
///
/// A class, so that a push passes one reference. Immutable.
package final class PhoneBehavior: Sendable {
  package let apps: [AppProfile]
  /// Decoders of the content states of each app's types, for the current and the next version. Kept here because
  /// copying a type for every push would cost more than the rest.
  package let decoders: [[ContentDecoder?]]
  private let nextDecoders: [[ContentDecoder?]]
  package let policy: DevicePolicy
  package let budget: BudgetPlan
  package let mix: PhoneMix
  let draws: PhoneRandomness
  package let ownership: Ownership
  /// Maximum time that a push waits for the phone's power, in nanoseconds. Calculated once, because every push of
  /// priority 5 needs it.
  let patience: Int64

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
    ownership = Ownership(twoPhones: mix.twoPhones, Chance(seed: seed))
    patience = policy.wakes.patience.wholeNanoseconds
  }

  private init(_ other: PhoneBehavior, _ prompt: PromptPolicy) {
    apps = other.apps
    decoders = other.decoders
    nextDecoders = other.nextDecoders
    var policy = other.policy
    policy.prompt = prompt
    self.policy = policy
    budget = other.budget
    mix = other.mix
    draws = other.draws
    ownership = other.ownership
    patience = other.patience
  }

  /// The decoders of the installed version's types.
  func decoders(_ app: Int, isUpdated: Bool) -> [ContentDecoder?] { isUpdated ? nextDecoders[app] : decoders[app] }

  /// Time for which a token of a slot is valid before it is replaced at random; nil if the policy has no rotation.
  package func rotation(of slot: TokenSlot, generation: UInt32, on device: DeviceID, app: Int) -> Duration? {
    let habit: (mean: Duration?, subject: UInt64) =
      switch slot {
      case .update(let number): (policy.updateTokenRotation, UInt64(number))
      case .pushToStart(let type): (policy.startTokens.rotation, 1 << 31 | UInt64(type))
      case .app, .service: (nil, 0)
      }
    guard let mean = habit.mean else { return nil }
    let wait = draws.rotation.duration(
      in: .zero...(mean * 2), subject: UInt64(device.number) << 16 | UInt64(app),
      count: UInt64(generation) << 32 | habit.subject)
    // Never at the same instant again, however short the mean.
    return max(wait, .seconds(1))
  }

  /// Returns this behavior with another policy for the Allow question.
  package func asking(_ prompt: PromptPolicy) -> PhoneBehavior { PhoneBehavior(self, prompt) }

  /// True if an untouched phone is online.
  package func isOnline(_ device: DeviceID) -> Bool {
    !draws.offline.strikes(mix.offline, subject: UInt64(device.number))
  }

  package func hasIsland(_ device: DeviceID) -> Bool {
    draws.island.strikes(mix.island, subject: UInt64(device.number))
  }
}
