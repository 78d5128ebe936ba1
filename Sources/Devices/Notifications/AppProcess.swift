/// The state of an app's process on a device, as far as it matters for a launch.
package enum AppProcess: String, CaseIterable, Hashable, Sendable {
  case foreground
  case background
  case suspended
  /// By the system or by a crash, which is treated the same.
  case terminated
  /// By the user. Documented: only the user or a reboot brings it back, except for VoIP pushes.
  case forceQuit

  /// True if it can receive something without being woken.
  package var isRunning: Bool { self == .foreground || self == .background }

  init(_ life: AppLifecycle) {
    self =
      switch life {
      case .foreground: .foreground
      case .background: .background
      case .suspended: .suspended
      case .terminated, .crashed: .terminated
      case .forceQuit, .neverLaunched: .forceQuit
      }
  }
}
