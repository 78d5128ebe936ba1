/// Where a channel belongs: an app in one of the two environments.
///
/// Documented: channels of sandbox and production are separate ("Sending channel management requests to APNs").
package struct ChannelHome: Hashable, Sendable {
  package let environment: Environment
  package let bundleID: String

  package init(_ environment: Environment, _ bundleID: String) {
    self.environment = environment
    self.bundleID = bundleID
  }
}
