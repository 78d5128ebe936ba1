import APNs
import Devices
import Timeline
import WireFormats

/// A request of the provider about a broadcast channel.
package struct ChannelStep: Sendable {
  package enum Order: Sendable {
    case create(StoragePolicy, app: Int, Environment)
    /// Publishes a push; the headers of the step do not name the channel.
    case broadcast(ProviderStep)
    case delete
  }

  /// The channel's name in the scenario; APNs chooses its id.
  package let channel: String
  package let order: Order

  package init(_ channel: String, _ order: Order) {
    self.channel = channel
    self.order = order
  }
}

/// A provider without a backend: pushes to a selection of devices.
package struct ProviderStep: Sendable {
  package enum Recipients: String, CaseIterable, Sendable {
    case device
    case pushToStart
    case update

    package var words: String {
      switch self {
      case .device: "device tokens"
      case .pushToStart: "push-to-start tokens"
      case .update: "update tokens"
      }
    }
  }

  /// Which of a device's tokens to use.
  package enum Knowledge: String, CaseIterable, Sendable {
    /// The phone's current token, as a backend knows it that received every report.
    case current
    /// The token that this provider used last, even if it is no longer valid: as a backend that received no reports.
    case remembered
  }

  package var tokenKind = Recipients.device
  package var knowledge = Knowledge.current
  /// Index of the app in the fleet.
  package var app = 0
  /// Index of the attributes type, for start tokens.
  package var type = 0
  package var selection = Selection()
  /// Lower-case names, including the topic and the push type.
  package var headers: [(name: String, value: ScenarioText)] = []
  package var payload: ScenarioPayload
  /// A body instead of the payload, sent as is; it need not be JSON.
  package var raw: ScenarioText?

  /// True if all devices get the same body.
  var isShared: Bool { raw?.isShared ?? payload.isShared }

  func body(at moment: ScenarioText.Moment) -> [UInt8] {
    Array((raw?.text(at: moment) ?? payload.json(at: moment).text).utf8)
  }

  package init(payload: ScenarioPayload) { self.payload = payload }
}
