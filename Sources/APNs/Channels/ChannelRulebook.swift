/// The rules of broadcasts and channels that are disputed or worth bending.
///
/// Apart from `Rulebook`, which every push carries along.
package struct ChannelRulebook: Hashable, Sendable {
  /// Bundle ids whose broadcast capability is off. Assumed: that of an app in the fleet is on.
  package var disabled: Set<String> = []
  /// Refuses a broadcast without `apns-priority`. Documented: the header is required. Assumed: its reason.
  package var priorityRequired = true
  /// Channels that an app may have in an environment. Documented: 10,000.
  package var channelsPerApp = ChannelRegistry.mostPerHome

  package init() {}
}
