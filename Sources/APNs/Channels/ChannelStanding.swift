/// What is known of a channel id in one home.
package enum ChannelStanding: Hashable, Sendable {
  /// Never made there, or deleted so long ago that it is forgotten.
  case unknown
  case live(Channel)
  case deleted

  package var channel: Channel? {
    if case .live(let channel) = self { channel } else { nil }
  }
}
