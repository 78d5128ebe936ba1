import APNs

/// Where a device token leads: one token of one install, in one of its generations.
package struct Address: Hashable, Sendable {
  package let device: DeviceID
  /// Number of the app among the fleet's apps.
  package let app: Int
  package let slot: TokenSlot
  /// Counts the tokens this slot has had; a rotation begins the next.
  package let generation: UInt32
  /// The user registered this token; it was not made from the seed.
  package let isGiven: Bool

  package init(device: DeviceID, app: Int, slot: TokenSlot, generation: UInt32, isGiven: Bool = false) {
    self.isGiven = isGiven
    self.device = device
    self.app = app
    self.slot = slot
    self.generation = generation
  }
}

/// What an install may hold a token for.
package enum TokenSlot: Hashable, Sendable {
  /// The app itself: alert, background and the like.
  case app
  /// Another service with a token of its own, such as VoIP.
  case service(TopicSuffix)
  /// Starting activities of the attributes type of that number.
  case pushToStart(type: Int)
  /// Updating the activity of that number on this install.
  case update(activity: UInt32)

  package var kind: TokenKind {
    switch self {
    case .app: .device
    case .service(let suffix): .service(suffix)
    case .pushToStart: .pushToStart
    case .update: .update
    }
  }

  /// The topic suffix under which the token is addressed.
  package var suffix: TopicSuffix {
    switch self {
    case .app: .none
    case .service(let suffix): suffix
    case .pushToStart, .update: .liveActivity
    }
  }

  package var isLiveActivity: Bool { suffix == .liveActivity }
}

/// The kinds of token as people name them.
package enum TokenKind: Hashable, Sendable {
  case device
  case pushToStart
  case update
  case service(TopicSuffix)

  package var name: String {
    switch self {
    case .device: "device"
    case .pushToStart: "pushToStart"
    case .update: "update"
    case .service(let suffix):
      switch suffix {
      case .voip: "voip"
      case .pushToTalk: "pushToTalk"
      case .locationQuery: "location"
      case .complication: "complication"
      case .fileProvider: "fileProvider"
      case .controls: "controls"
      case .widgets: "widgets"
      case .none, .liveActivity: "service"
      }
    }
  }

  /// The services a profile may name.
  package static let services: [TopicSuffix] = [
    .voip, .pushToTalk, .locationQuery, .complication, .fileProvider, .controls, .widgets,
  ]

  package static let allCases: [TokenKind] = [.device, .pushToStart, .update] + services.map { .service($0) }

  package init?(_ name: String) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }
}
