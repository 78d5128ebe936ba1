/// What an app is doing.
///
///     neverLaunched ──open──▶ foreground ──leave──▶ background ──runtime over──▶ suspended ──system──▶ terminated
///            ▲                    ▲  open                 ▲  wake                   │ wake                 │ wake
///         install                 └───────────────────────┴─────────────────────────┴──────────────────────┘
///
/// Force-quit is left by the person only, or by a reboot. Documented: UIKit, and "Pushing background updates to your
/// App" for what a force-quit app no longer gets.
package enum AppLife: String, CaseIterable, Hashable, Sendable {
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
