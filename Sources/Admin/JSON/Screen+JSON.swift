import APNs
import Devices
import Reporting
import Simulation
import Timeline
import WireFormats

extension Screen {
  /// - Parameter apps: those of the fleet.
  func json(of device: DeviceID, at now: Instant, _ apps: [AppProfile]) -> JSONValue {
    let tints = apps.compactMap { app -> JSONValue? in
      guard let tint = app.types.compactMap({ $0.card?.tint }).first else { return nil }
      return ["app": .string(app.bundleID), "tint": .string(tint)]
    }
    return [
      "device": .string(device.text), "at": .string(now.rfc3339), "locked": .bool(isLocked), "lit": .bool(isLit),
      "lockScreen": .array(cards.map(\.json)), "dynamicIsland": island.json(isLocked: isLocked),
      "surfaces": .array(surfaces.flatMap(\.json)), "alert": alert?.json ?? .null, "prompt": prompt,
      "notifications": .array(notifications.map(\.json)),
      "badges": .array(badges.map { ["app": .string($0.bundleID), "badge": JSONValue($0.number)] }),
      "tints": .array(tints), "sounds": .array(sounds.map { .string($0) }),
      "bells": .array(
        bells.map { ["app": .string($0.bundleID), "key": .string($0.key), "bell": .string($0.bell.rawValue)] }),
    ]
  }

  private var prompt: JSONValue {
    guard let card = cards.first(where: { $0.asks }) else { return .null }
    return [
      "activity": .string(card.id), "app": .string(card.bundleID),
      "question": .string("Allow Live Activities from \(card.bundleID)?"),
    ]
  }

  /// The sounds being played.
  private var sounds: [String] {
    [alert?.sound].compactMap(\.self) + notifications.filter(\.isBanner).compactMap { $0.shown.sound?.name }
  }
}

extension Screen.Card {
  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("activity", .string(id)), .init("app", .string(bundleID)), .init("attributesType", .string(attributesType)),
      .init("state", .string(state.rawValue)), .init("isStale", .bool(state == .stale)),
      .init("relevanceScore", .double(relevance)), .init("startedAt", .string(startedAt.rfc3339)),
      .init("dismissesAt", JSONValue(dismissal?.rfc3339)), .init("attributes", attributes ?? .null),
      .init("contentState", content ?? .null), .init("drawn", drawing.json),
    ]
    if let coming {
      let drawn = JSONValue(coming.at?.rfc3339)
      members.append(.init("notDrawnYet", ["contentState": coming.content ?? .null, "drawnAt": drawn]))
    }
    if hasPlaceholders { members.append(.init("imagesMissing", .bool(true))) }
    return .object(members)
  }
}

extension Screen.Surface {
  /// An entry for each way in which this place shows activities.
  fileprivate var json: [JSONValue] {
    groups.map { group in
      [
        "surface": .string(place.rawValue), "presentation": .string(group.presentation.rawValue),
        "activities": .array(group.cards.map { .string($0.id) }),
      ]
    }
  }
}

extension Screen.Alert {
  fileprivate var json: JSONValue {
    [
      "activity": .string(card), "presentation": .string(shown.presentation.rawValue), "title": JSONValue(title),
      "body": JSONValue(body), "sound": JSONValue(sound), "haptic": .bool(hasHaptic),
      "onWatch": .bool(shown.isOnWatch),
    ]
  }
}

extension Screen.Notification {
  fileprivate var json: JSONValue {
    [
      "number": .integer(Int64(shown.number)), "app": .string(bundleID), "title": .string(text.alert.title),
      "subtitle": .string(text.alert.subtitle), "body": .string(text.alert.body),
      "sound": JSONValue(shown.sound?.name), "interruptionLevel": .string(shown.interruption.rawValue),
      "threadId": JSONValue(text.threadID), "category": JSONValue(text.category),
      "collapseId": JSONValue(shown.collapseID), "at": .string(shown.at.rfc3339), "banner": .bool(isBanner),
      "quiet": .bool(shown.isQuiet),
    ]
  }
}

extension Screen.Island {
  fileprivate func json(isLocked: Bool) -> JSONValue {
    let presentation =
      switch self {
      case .absent: "absent"
      case .empty: "empty"
      case .compact: "compact"
      case .minimal: "minimal"
      case .mixed: "compactAndMinimal"
      case .expanded: "expanded"
      }
    // A locked phone shows its cards instead.
    let isVisible = !cards.isEmpty && !isLocked
    return [
      "presentation": .string(presentation), "activities": .array(cards.map { .string($0.id) }),
      "visible": .bool(isVisible),
    ]
  }
}
