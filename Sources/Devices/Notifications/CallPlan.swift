import Timeline

/// When VoIP pushes stop for an app that reports no calls.
///
/// Documented: repeated failures may stop them. Observed: three in a day, by one project.
package struct CallPlan: Hashable, Sendable {
  /// The failure that stops them; below one means the first.
  package var failures: UInt32 = 3
  /// From the first failure until all are forgotten. Assumed: fixed, not sliding.
  package var window: Duration = .seconds(24 * 3600)
  /// How long they stay away; nil until the app is installed anew. Assumed.
  package var stopsFor: Duration?

  package init() {}
}
