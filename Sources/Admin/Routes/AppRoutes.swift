import Devices
import Grammar
import Scenarios
import Simulation
import WireFormats

/// The apps of the fleet.
enum AppRoutes {
  static let routes: [Route] = [
    Route(
      "GET /v1/apps", id: "getApps", tag: .fleet, summary: "the fleet's apps, and the schemas of their Live Activities",
      answer: list
    )
    .answers(.json("The apps, in the order of the settings.", shape.schema), .busy)
  ]

  private static let shape = Shape<[AppProfile]>(members: [.list("apps", of: app) { $0 }])

  private static let app = Shape<AppProfile>(members: [
    .init("bundleId", .bundleID) { .string($0.bundleID) }, .init("teamId", .string) { .string($0.teamID) },
    .init("environment", .words(AppProfile.Build.self)) { .string($0.build.rawValue) },
    .list("attributesTypes", of: type) { $0.types },
  ])

  private static let type = Shape<AttributesType>(members: [
    .init("name", .string) { .string($0.name) },
    .init("attributes", notation) { $0.attributes?.schema.notation ?? .null },
    .init("contentState", notation) { $0.contentState?.schema.notation ?? .null },
  ])

  /// A schema, as `ContentSchema.notation` writes it.
  private static let notation = Schema.types(["string", "array", "object", "null"]).named(
    "ContentSchema",
    #"""
    The type that a part of a payload must decode into, as it is written in settings, such as `"int?"` or
    `{"type": "object", "properties": {"score": "int"}}`; null if the settings have none.
    """#)

  static func list(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let apps = simulator.world.names.apps
    return .unlocked { .json(shape.json(apps)) }
  }
}

extension ContentSchema {
  /// The schema as it is written in settings.
  package var notation: JSONValue {
    switch self {
    case .stringEnum(let words): ["enum": .array(words.map { .string($0) })]
    case .intEnum(let numbers): ["enum": .array(numbers.map { .integer($0) })]
    case .optional(let inner):
      inner.notation.string.map { .string($0 + "?") } ?? ["optional": inner.notation]
    case .array(let inner): .array([inner.notation])
    case .dictionary(let inner): ["dictionary": inner.notation]
    case .intDictionary(let inner): ["dictionary": inner.notation, "keys": "int"]
    case .pairs(let key, let inner): ["dictionary": inner.notation, "keys": key.notation]
    case .caseEnum(let cases): ["enum": .object(cases.map { .init($0.name, Self.notation(of: $0.schema.properties)) })]
    case .object(let properties): ["type": "object", "properties": Self.notation(of: properties)]
    default: word.map { .string($0) } ?? .null
    }
  }

  private static func notation(of properties: [Property]) -> JSONValue {
    .object(properties.map { .init($0.name, $0.schema.notation) })
  }
}
