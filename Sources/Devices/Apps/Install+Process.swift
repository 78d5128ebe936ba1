import Timeline

extension Install {
  /// The process of an app: what it does, for how long it may, and what its code listens to.
  ///
  ///     neverLaunched ──open──▶ foreground ──leave──▶ background ──runtime over──▶ suspended ──system──▶ terminated
  ///            ▲                    ▲  open                 ▲  wake                   │ wake                 │ wake
  ///         install                 └───────────────────────┴─────────────────────────┴──────────────────────┘
  ///
  /// The system starts a force-quit app for a call only; the person opens it, or reboots the phone. Documented: UIKit;
  /// "Pushing background updates to your App" for what such an app no longer gets; PushKit for calls.
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

    /// What it means to be given runtime in the background.
    enum Waking: Hashable, Sendable {
      /// Nothing wakes it.
      case refused
      case inForeground
      /// It has runtime for as long already.
      case awake
      /// Its process goes on, until the new time.
      case goesOn
      /// It needs a new process, which may run until then.
      case launched
    }

    /// What it means that the person opens it.
    enum Opening: Hashable, Sendable {
      case inForeground
      case goesOn
      case launched
    }

    /// What the code of the present process listens to.
    private struct Listeners: OptionSet, Hashable, Sendable {
      let rawValue: UInt8

      static let activities = Listeners(rawValue: 1)
      static let tokens = Listeners(rawValue: 2)
      static let startTokens = Listeners(rawValue: 4)
    }

    private(set) var state = State.suspended
    private var listeners: Listeners = [.activities, .tokens, .startTokens]
    /// Processes it has had; the first is the one the world found.
    private(set) var launches: UInt32 = 0

    /// The process that the world found.
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

    /// Observers see new activities.
    var observes: Bool { listeners.contains(.activities) }
    /// The task that observes tokens is alive.
    var hearsTokens: Bool { listeners.contains(.tokens) }
    var hearsStartTokens: Bool { listeners.contains(.startTokens) }

    // MARK: - Runtime

    /// A push or a token gives it runtime until then.
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

    /// The person leaves it; it has runtime until then. False when it is not in the foreground.
    mutating func leave(until end: Instant, keepsTask: Bool) -> Bool {
      guard case .foreground = state else { return false }
      state = .background(until: end)
      if !keepsTask { listeners.remove(.tokens) }
      return true
    }

    /// False when it has no runtime that is over.
    mutating func endRuntime(at due: Instant) -> Bool {
      guard case .background(let end) = state, end <= due else { return false }
      state = .suspended
      return true
    }

    // MARK: - Its end

    mutating func stop(_ end: ProcessEnd) {
      switch end {
      case .terminated: state = .terminated
      case .crashed: state = .crashed
      case .forceQuit: state = .forceQuit
      }
    }

    /// Another version is installed over it. It stays away where it was away.
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

    /// It is new to the phone.
    mutating func install() { state = .neverLaunched }

    // MARK: - What it listens to

    /// A new process begins.
    mutating func launch(_ observing: AppTraits.Observing, _ launch: Launch) {
      launches &+= 1
      listeners.set(.activities, observing.activityUpdates && observing.atLaunch)
      listeners.set(.tokens, observing.tokenUpdates)
      // A listener that is not installed at launch comes with the app's screens. Assumed.
      listeners.set(.startTokens, observing.tokenUpdates && (observing.atLaunch || launch == .byPerson))
    }

    mutating func observeActivities() { listeners.insert(.activities) }

    /// False when it does so already.
    mutating func listenToStartTokens() -> Bool { listeners.insert(.startTokens).inserted }
  }

  // MARK: - What is known of it

  package var life: AppLifecycle { process.life }
  package var launches: UInt32 { process.launches }
  var observes: Bool { process.observes }
  var hearsTokens: Bool { process.hearsTokens }
  var hearsStartTokens: Bool { process.hearsStartTokens }
  /// Whether a push or a token may give it runtime.
  var canBeWoken: Bool { isInstalled && life.canBeWoken }
}
