/// The two gateways Apple runs, each with tokens of its own.
///
/// Documented: Apple, "Sending notification requests to APNs"; "Registering your app with APNs".
package enum Environment: String, CaseIterable, Hashable, Sendable {
  case sandbox
  case production
}
