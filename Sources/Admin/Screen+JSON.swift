import Devices
import Simulation
import WireFormats

extension Screen {
  func json(of device: DeviceID) -> JSONValue {
    [
      "device": .string(device.text), "lockScreen": .array(cards.map(\.json)), "dynamicIsland": island.json,
    ]
  }
}

extension Screen.Card {
  fileprivate var json: JSONValue {
    [
      "activity": .string(id), "app": .string(bundleID), "attributesType": .string(attributesType),
      "state": .string(state.rawValue), "isStale": .bool(state == .stale), "relevanceScore": .double(relevance),
      "startedAt": .string(startedAt.rfc3339), "dismissesAt": JSONValue(dismissal?.rfc3339),
      "attributes": attributes ?? .null, "contentState": content ?? .null,
    ]
  }
}

extension Screen.Island {
  fileprivate var json: JSONValue {
    switch self {
    case .absent: ["presentation": "absent", "activities": []]
    case .empty: ["presentation": "empty", "activities": []]
    case .compact(let card): ["presentation": "compact", "activities": [.string(card.id)]]
    case .minimal(let cards): ["presentation": "minimal", "activities": .array(cards.map { .string($0.id) })]
    }
  }
}
