/// What an app is doing, in one word; `Install.Process` is the state machine behind it.
package enum AppLifecycle: String, CaseIterable, Hashable, Sendable {
  case neverLaunched
  case foreground
  case background
  case suspended
  /// By the system, for room.
  case terminated
  case forceQuit
  case crashed

  package var isRunning: Bool { self == .foreground || self == .background }
  /// Whether a push or a new token may give it runtime.
  package var canBeWoken: Bool {
    switch self {
    case .foreground, .background, .suspended, .terminated, .crashed: true
    case .neverLaunched, .forceQuit: false
    }
  }
  /// Whether there is a process; without one, a wake is a launch.
  package var hasProcess: Bool { isRunning || self == .suspended }
}

/// How a process ends.
package enum ProcessEnd: Hashable, Sendable {
  /// By the system, for room.
  case terminated
  case crashed
  /// By the person.
  case forceQuit

  package var life: AppLifecycle {
    switch self {
    case .terminated: .terminated
    case .crashed: .crashed
    case .forceQuit: .forceQuit
    }
  }
}
