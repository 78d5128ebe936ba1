import Devices
import Scenarios
import Simulation
import WireFormats

/// The apps of the fleet.
enum AppRoutes {
  static func list(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let apps = simulator.world.names.apps
    return .unlocked { .json(["apps": .array(apps.map(value))]) }
  }

  private static func value(_ app: AppProfile) -> JSONValue {
    [
      "bundleId": .string(app.bundleID), "teamId": .string(app.teamID), "environment": .string(app.build.rawValue),
      "attributesTypes": .array(app.types.map(value)),
    ]
  }

  private static func value(_ type: AttributesType) -> JSONValue {
    [
      "name": .string(type.name), "attributes": type.attributes?.schema.notation ?? .null,
      "contentState": type.contentState?.schema.notation ?? .null,
    ]
  }
}

extension ContentSchema {
  /// The schema as it is written in settings.
  package var notation: JSONValue {
    switch self {
    case .string: "string"
    case .int: "int"
    case .double: "double"
    case .bool: "bool"
    case .date: "date"
    case .data: "data"
    case .url: "url"
    case .uuid: "uuid"
    case .any: "any"
    case .dateRange: "dateRange"
    case .stringEnum(let words): ["enum": .array(words.map { .string($0) })]
    case .intEnum(let numbers): ["enum": .array(numbers.map { .integer($0) })]
    case .optional(let inner):
      inner.notation.string.map { .string($0 + "?") } ?? ["optional": inner.notation]
    case .array(let inner): .array([inner.notation])
    case .dictionary(let inner): ["dictionary": inner.notation]
    case .object(let properties):
      ["type": "object", "properties": .object(properties.map { .init($0.name, $0.schema.notation) })]
    }
  }
}
