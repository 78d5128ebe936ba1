import Devices
import Timeline

extension Settings {
  /// True if nothing hinders a push on the phones.
  public var isIdeal: Bool {
    get {
      var ideal = PhoneMix.ideal
      (ideal.language, ideal.twoPhones) = (phones.language, phones.twoPhones)
      return phones == ideal
    }
    set {
      let (language, twoPhones) = (phones.language, phones.twoPhones)
      let isAtOnce = newValue || isImmediate
      phones = newValue ? .ideal : PhoneMix()
      (phones.language, phones.twoPhones) = (language, twoPhones)
      policy.timing.appearance = isAtOnce ? Timing.none.appearance : Timing.usualAppearance
    }
  }

  /// True if apps learn of events without delay.
  package var isImmediate: Bool {
    get {
      var immediate = Timing.none
      immediate.runtime = policy.timing.runtime
      return policy.timing == immediate
    }
    set {
      policy.timing = newValue ? .none : Timing()
      if isIdeal { policy.timing.appearance = Timing.none.appearance }
    }
  }

  /// True if phones neither delay nor hide a push: for tests that do not need that.
  public var isForTests: Bool {
    get {
      var smooth = self
      smooth.isForTests = true
      return isIdeal && isImmediate && policy.prompt.policy == smooth.policy.prompt.policy && budget == smooth.budget
        && policy.wakes == smooth.policy.wakes
    }
    set {
      isIdeal = newValue
      isImmediate = newValue
      let usual = Settings()
      policy.prompt.policy = newValue ? .never : usual.policy.prompt.policy
      updatePreset = newValue ? .lenient : .standard
      startPreset = newValue ? .optimistic : .conservative
      budget.start.capacity = newValue ? 1_000_000 : usual.budget.start.capacity
      budget.rendering = usual.budget.rendering
      budget.lowPriority = usual.budget.lowPriority
      policy.wakes = usual.policy.wakes
      guard newValue else { return }
      let atOnce: ClosedRange<Duration> = .zero...(.zero)
      budget.rendering.from18 = atOnce
      budget.rendering.before18 = atOnce
      budget.lowPriority.screenOn = atOnce
      budget.lowPriority.charging = atOnce
      budget.lowPriority.lowPower = atOnce
      budget.lowPriority.locked = atOnce
      policy.wakes.odds = .always
      policy.wakes.wakes = 1_000_000
    }
  }

  /// The preset whose values are in effect; nil if single values were changed.
  package var updatePreset: UpdateBudgetPlan.Preset? {
    get { UpdateBudgetPlan.Preset.allCases.first { UpdateBudgetPlan($0) == budget.update } }
    set { budget.update = UpdateBudgetPlan(newValue ?? .standard) }
  }

  package var startPreset: StartBudgetPlan.Preset? {
    get { StartBudgetPlan.Preset.allCases.first { StartBudgetPlan($0) == budget.start } }
    set { budget.start = StartBudgetPlan(newValue ?? .conservative) }
  }
}
