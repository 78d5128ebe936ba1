/// The state of an app's process; `Install.Process` is the state machine behind it.
package enum AppLifecycle: String, CaseIterable, Hashable, Sendable {
  case neverLaunched
  case foreground
  case background
  case suspended
  /// By the system, to free memory.
  case terminated
  case forceQuit
  case crashed

  package var isRunning: Bool { self == .foreground || self == .background }
  /// True if a push or a new token may start or resume it.
  package var canBeWoken: Bool {
    switch self {
    case .foreground, .background, .suspended, .terminated, .crashed: true
    case .neverLaunched, .forceQuit: false
    }
  }
  /// True if a process exists; otherwise a wake is a launch.
  package var hasProcess: Bool { isRunning || self == .suspended }
}

/// The cause of a process's end.
package enum ProcessEnd: Hashable, Sendable {
  /// By the system, to free memory.
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
