/// The address that a device token stands for: one token slot of one install, in one of its generations.
package struct Address: Hashable, Sendable {
  package let device: DeviceID
  /// Number of the app among the fleet's apps.
  package let app: Int
  package let slot: TokenSlot
  /// Counts the tokens that this slot has had; a rotation begins the next generation.
  package let generation: UInt32
  /// True if the user registered this token; otherwise it was made from the seed.
  package let isGiven: Bool

  package init(device: DeviceID, app: Int, slot: TokenSlot, generation: UInt32, isGiven: Bool = false) {
    self.isGiven = isGiven
    self.device = device
    self.app = app
    self.slot = slot
    self.generation = generation
  }
}

extension Address {
  var words: AddressWords {
    let (kind, detail): (UInt64, UInt64) =
      switch slot {
      case .app: (0, 0)
      case .service(let suffix): (1, UInt64(suffix.rawValue))
      case .pushToStart(let type): (2, UInt64(type))
      case .update(let activity): (3, UInt64(activity))
      }
    return AddressWords(
      high: UInt64(device.number) | UInt64(UInt16(truncatingIfNeeded: app)) << 32 | kind << 48
        | (isGiven ? Self.givenMark : 0),
      low: detail | UInt64(generation) << 32)
  }

  /// Nil for words that are not a valid address.
  init?(_ words: AddressWords) {
    let detail = UInt32(truncatingIfNeeded: words.low)
    switch (words.high & ~Self.givenMark) >> 48 {
    case 0: slot = .app
    case 1:
      guard let suffix = TopicSuffix(rawValue: UInt8(truncatingIfNeeded: detail)) else { return nil }
      slot = .service(suffix)
    case 2: slot = .pushToStart(type: Int(detail))
    case 3: slot = .update(activity: detail)
    default: return nil
    }
    device = DeviceID(UInt32(truncatingIfNeeded: words.high))
    app = Int(UInt16(truncatingIfNeeded: words.high >> 32))
    generation = UInt32(truncatingIfNeeded: words.low >> 32)
    isGiven = words.high & Self.givenMark != 0
  }

  private static let givenMark: UInt64 = 1 << 63
}

/// A slot of an install that can hold a token.
package enum TokenSlot: Hashable, Sendable {
  /// The app itself: alert, background and the like.
  case app
  /// Another service with its own token, such as VoIP.
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

  /// The topic suffix for pushes to the token.
  package var suffix: TopicSuffix {
    switch self {
    case .app: .none
    case .service(let suffix): suffix
    case .pushToStart, .update: .liveActivity
    }
  }

  package var isLiveActivity: Bool { suffix == .liveActivity }

  package var isPushToStart: Bool { if case .pushToStart = self { true } else { false } }

  /// True if the token in this slot is that of an activity.
  package var isActivity: Bool { if case .update = self { true } else { false } }
}

/// The kinds of token as users name them.
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

  /// The name with its article, for sentences.
  package var withArticle: String { (name.first.map { "aeiou".contains($0) } ?? false ? "an " : "a ") + name }

  /// The services that a profile may name.
  package static let services: [TopicSuffix] = [
    .voip, .pushToTalk, .locationQuery, .complication, .fileProvider, .controls, .widgets,
  ]

  package static let allCases: [TokenKind] = [.device, .pushToStart, .update] + services.map { .service($0) }

  package init?(_ name: String) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }
}

/// An address as two words, the form inside a token.
struct AddressWords: Hashable {
  /// Device, app, and a code of the slot.
  let high: UInt64
  /// The slot's own number, and the generation.
  let low: UInt64
}
