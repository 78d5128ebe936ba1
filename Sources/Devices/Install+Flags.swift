extension Install {
  /// What is so or is not so of an app, a bit each. Ten Bools would take eight bytes more in every app of every phone.
  struct Flags: OptionSet, Hashable, Sendable {
    let rawValue: UInt16

    static let hasAllowedStarts = Flags(rawValue: 1 << 0)
    static let isUpdated = Flags(rawValue: 1 << 1)
    static let observes = Flags(rawValue: 1 << 2)
    static let hearsTokens = Flags(rawValue: 1 << 3)
    static let hearsStartTokens = Flags(rawValue: 1 << 4)
    static let hasFreshStartToken = Flags(rawValue: 1 << 5)
    static let hasYieldedStartToken = Flags(rawValue: 1 << 6)
    static let rotatesByChance = Flags(rawValue: 1 << 7)
    static let awaitsTokens = Flags(rawValue: 1 << 8)
    static let keptStartTokens = Flags(rawValue: 1 << 9)
  }

  /// The person has allowed a Live Activity that a push had started.
  package internal(set) var hasAllowedStarts: Bool {
    get { flags.contains(.hasAllowedStarts) }
    set { flags.set(.hasAllowedStarts, newValue) }
  }

  /// The installed version is the one after the first.
  package internal(set) var isUpdated: Bool {
    get { flags.contains(.isUpdated) }
    set { flags.set(.isUpdated, newValue) }
  }

  /// Observers of the present process see new activities.
  var observes: Bool {
    get { flags.contains(.observes) }
    set { flags.set(.observes, newValue) }
  }

  /// The task that observes tokens is alive.
  var hearsTokens: Bool {
    get { flags.contains(.hearsTokens) }
    set { flags.set(.hearsTokens, newValue) }
  }

  /// The present process listens for push-to-start tokens.
  var hearsStartTokens: Bool {
    get { flags.contains(.hearsStartTokens) }
    set { flags.set(.hearsStartTokens, newValue) }
  }

  /// On iOS 17.2 to 17.6: it was installed anew after a reboot, and has its push-to-start token.
  package internal(set) var hasFreshStartToken: Bool {
    get { flags.contains(.hasFreshStartToken) }
    set { flags.set(.hasFreshStartToken, newValue) }
  }

  /// On iOS 17 the stream has yielded, and will not again.
  var hasYieldedStartToken: Bool {
    get { flags.contains(.hasYieldedStartToken) }
    set { flags.set(.hasYieldedStartToken, newValue) }
  }

  /// Replacements of its push-to-start tokens by chance have been set going.
  var rotatesByChance: Bool {
    get { flags.contains(.rotatesByChance) }
    set { flags.set(.rotatesByChance, newValue) }
  }

  /// Its tokens of this installation have not been made yet.
  var awaitsTokens: Bool {
    get { flags.contains(.awaitsTokens) }
    set { flags.set(.awaitsTokens, newValue) }
  }

  /// All but those of push-to-start, which it has from before.
  var keptStartTokens: Bool {
    get { flags.contains(.keptStartTokens) }
    set { flags.set(.keptStartTokens, newValue) }
  }
}

extension OptionSet where Element == Self {
  mutating func set(_ member: Self, _ isIn: Bool) {
    if isIn { insert(member) } else { remove(member) }
  }
}
