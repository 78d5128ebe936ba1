/// The two gateways that Apple runs. Each has its own tokens.
///
/// Documented: Apple, "Sending notification requests to APNs"; "Registering your app with APNs".
package enum Environment: String, CaseIterable, Hashable, Sendable {
  case sandbox
  case production

  // Written out because the synthesized version compares strings when called from another module.
  @inlinable package static func == (left: Environment, right: Environment) -> Bool {
    switch (left, right) {
    case (.sandbox, .sandbox), (.production, .production): true
    case (.sandbox, .production), (.production, .sandbox): false
    }
  }
}
