import Timeline

extension Install {
  /// The process of an app: its state, its remaining runtime, and what its code listens to.
  ///
  ///     neverLaunched ──open──▶ foreground ──leave──▶ background ──runtime over──▶ suspended ──system──▶ terminated
  ///            ▲                    ▲  open                 ▲  wake                   │ wake                 │ wake
  ///         install                 └───────────────────────┴─────────────────────────┴──────────────────────┘
  ///
  /// The system starts a force-quit app only for a call; otherwise the person must open it or reboot the phone.
  /// Documented: UIKit; "Pushing background updates to your App" for what such an app no longer receives; PushKit for
  /// calls.
  struct Process: Hashable, Sendable {
    enum State: Hashable, Sendable {
      case neverLaunched
      case foreground
      case background(until: Instant)
      case suspended
      case terminated
      case forceQuit
      case crashed
    }

    /// The effect of a wake in the background.
    enum Waking: Hashable, Sendable {
      /// The app cannot be woken.
      case refused
      case inForeground
      /// The process already has runtime until then or longer.
      case awake
      /// The process continues until the new time.
      case goesOn
      /// A new process was launched, which may run until then.
      case launched
    }

    /// The effect of opening the app.
    enum Opening: Hashable, Sendable {
      case inForeground
      case goesOn
      case launched
    }

    /// The streams that the code of the current process observes.
    private struct Listeners: OptionSet, Hashable, Sendable {
      let rawValue: UInt8

      static let activities = Listeners(rawValue: 1)
      static let tokens = Listeners(rawValue: 2)
      static let startTokens = Listeners(rawValue: 4)
    }

    private(set) var state = State.suspended
    private var listeners: Listeners = [.activities, .tokens, .startTokens]
    /// Number of processes so far; the first existed when the world began.
    private(set) var launches: UInt32 = 0

    /// The process that existed when the world began.
    init(_ observing: AppTraits.Observing) {
      listeners.set(.activities, observing.activityUpdates && observing.atLaunch)
      if !observing.tokenUpdates { listeners.subtract([.tokens, .startTokens]) }
    }

    var life: AppLifecycle {
      switch state {
      case .neverLaunched: .neverLaunched
      case .foreground: .foreground
      case .background: .background
      case .suspended: .suspended
      case .terminated: .terminated
      case .forceQuit: .forceQuit
      case .crashed: .crashed
      }
    }

    /// True if it observes new activities.
    var observes: Bool { listeners.contains(.activities) }
    /// True if the task that observes tokens is alive.
    var hearsTokens: Bool { listeners.contains(.tokens) }
    var hearsStartTokens: Bool { listeners.contains(.startTokens) }

    // MARK: - Runtime

    /// A push or a token gives it runtime until `end`.
    mutating func wake(until end: Instant) -> Waking {
      switch state {
      case .neverLaunched, .forceQuit: return .refused
      case .foreground: return .inForeground
      case .background(let present) where present >= end: return .awake
      case .background, .suspended:
        state = .background(until: end)
        return .goesOn
      case .terminated, .crashed:
        state = .background(until: end)
        return .launched
      }
    }

    mutating func open() -> Opening {
      switch state {
      case .foreground: return .inForeground
      case .background, .suspended:
        state = .foreground
        return .goesOn
      case .neverLaunched, .terminated, .forceQuit, .crashed:
        state = .foreground
        return .launched
      }
    }

    /// The person leaves it; it has runtime until `end`. False if it was not in the foreground.
    mutating func leave(until end: Instant, keepsTask: Bool) -> Bool {
      guard case .foreground = state else { return false }
      state = .background(until: end)
      if !keepsTask { listeners.remove(.tokens) }
      return true
    }

    /// False if it has no runtime that ended by then.
    mutating func endRuntime(at due: Instant) -> Bool {
      guard case .background(let end) = state, end <= due else { return false }
      state = .suspended
      return true
    }

    // MARK: - Termination

    mutating func stop(_ end: ProcessEnd) {
      switch end {
      case .terminated: state = .terminated
      case .crashed: state = .crashed
      case .forceQuit: state = .forceQuit
      }
    }

    /// Another version is installed. An app that was not running stays so.
    mutating func update() {
      switch state {
      case .neverLaunched, .forceQuit: break
      case .foreground, .background, .suspended, .terminated, .crashed: state = .terminated
      }
    }

    /// Documented: a reboot lifts a force-quit.
    mutating func reboot() {
      if state != .neverLaunched { state = .terminated }
    }

    /// Documented: a call launches the app whatever it is doing.
    mutating func ring() {
      if state == .forceQuit { state = .terminated }
    }

    /// Resets the state: the app was newly installed.
    mutating func install() { state = .neverLaunched }

    // MARK: - Listeners

    /// A new process starts.
    mutating func launch(_ observing: AppTraits.Observing, _ launch: Launch) {
      launches &+= 1
      listeners.set(.activities, observing.activityUpdates && observing.atLaunch)
      listeners.set(.tokens, observing.tokenUpdates)
      // Observers that are not installed at launch are installed with the app's screens. Assumed.
      listeners.set(.startTokens, observing.tokenUpdates && (observing.atLaunch || launch == .byPerson))
    }

    mutating func observeActivities() { listeners.insert(.activities) }

    /// False if it does so already.
    mutating func listenToStartTokens() -> Bool { listeners.insert(.startTokens).inserted }
  }

  // MARK: - Queries

  package var life: AppLifecycle { process.life }
  package var launches: UInt32 { process.launches }
  var observes: Bool { process.observes }
  var hearsTokens: Bool { process.hearsTokens }
  var hearsStartTokens: Bool { process.hearsStartTokens }
  /// True if a push or a token may give it runtime.
  var canBeWoken: Bool { isInstalled && life.canBeWoken }
}
