/// The two gateways Apple runs, each with tokens of its own.
///
/// Documented: Apple, "Sending notification requests to APNs"; "Registering your app with APNs".
package enum Environment: String, CaseIterable, Hashable, Sendable {
  case sandbox
  case production

  // The one that is made by itself compares the texts, where another module asks.
  @inlinable package static func == (left: Environment, right: Environment) -> Bool {
    switch (left, right) {
    case (.sandbox, .sandbox), (.production, .production): true
    case (.sandbox, .production), (.production, .sandbox): false
    }
  }
}
