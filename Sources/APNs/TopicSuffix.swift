/// What a topic carries after the bundle id, by which APNs tells an app's services apart.
///
/// Documented: Apple, "Sending notification requests to APNs", table of push types.
package enum TopicSuffix: UInt8, CaseIterable, Hashable, Sendable {
  case none
  case liveActivity
  case voip
  case pushToTalk
  case locationQuery
  case complication
  case fileProvider
  case controls
  case widgets

  // The one that is made by itself is called through its table from other modules.
  @inlinable package static func == (left: TopicSuffix, right: TopicSuffix) -> Bool {
    left.rawValue == right.rawValue
  }

  package var text: String {
    switch self {
    case .none: ""
    case .liveActivity: ".push-type.liveactivity"
    case .voip: ".voip"
    case .pushToTalk: ".voip-ptt"
    case .locationQuery: ".location-query"
    case .complication: ".complication"
    case .fileProvider: ".pushkit.fileprovider"
    case .controls: ".push-type.controls"
    case .widgets: ".push-type.widgets"
    }
  }
}
