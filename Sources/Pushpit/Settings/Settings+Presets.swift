import Devices

extension Settings {
  /// Whether the phones are such that nothing stands in a push's way.
  package var isIdeal: Bool {
    get {
      var ideal = PhoneMix.ideal
      ideal.language = phones.language
      return phones == ideal
    }
    set {
      let language = phones.language
      phones = newValue ? .ideal : PhoneMix()
      phones.language = language
    }
  }

  /// Whether an app learns at once what has happened.
  package var isImmediate: Bool {
    get {
      var immediate = Timing.none
      immediate.runtime = habits.timing.runtime
      return habits.timing == immediate
    }
    set { habits.timing = newValue ? .none : Timing() }
  }

  /// The preset whose numbers are in force; nil when single ones were changed.
  package var updatePreset: UpdateBudgetPlan.Preset? {
    get { UpdateBudgetPlan.Preset.allCases.first { UpdateBudgetPlan($0) == budget.update } }
    set { budget.update = UpdateBudgetPlan(newValue ?? .standard) }
  }

  package var startPreset: StartBudgetPlan.Preset? {
    get { StartBudgetPlan.Preset.allCases.first { StartBudgetPlan($0) == budget.start } }
    set { budget.start = StartBudgetPlan(newValue ?? .conservative) }
  }
}
