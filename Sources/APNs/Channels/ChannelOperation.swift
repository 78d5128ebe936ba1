import WireFormats

/// What a request to the broadcast interfaces wants done.
///
/// Documented: methods and paths ("Sending channel management requests to APNs", "Sending broadcast push notification
/// requests to APNs").
package enum ChannelOperation: String, CaseIterable, Hashable, Sendable {
  case publish
  case create
  case read
  case delete
  case list

  /// Those of the management connections. Assumed: a path that belongs to the other kind of connection is unknown
  /// here; Apple serves the two by different hosts.
  static let managing: [ChannelOperation] = [.create, .read, .delete, .list]

  var form: ChannelPath.Form {
    switch self {
    case .publish: .broadcast
    case .create, .read, .delete: .channels
    case .list: .allChannels
    }
  }

  var method: StaticString {
    switch self {
    case .publish, .create: "POST"
    case .read, .list: "GET"
    case .delete: "DELETE"
    }
  }
}
