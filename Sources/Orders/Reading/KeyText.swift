import APNs
import Grammar
import Simulation
import WireFormats

/// A provider key in the JSON of an order.
enum KeyText {
  private static let members = ["keyId", "teamId", "environments", "topics", "related", "publicKey"]

  static func json(_ key: ProviderKey, _ publicKey: String) -> JSONValue {
    var object = ObjectWriter()
    object.put("keyId", key.keyID)
    object.put("teamId", key.teamID)
    let environments = Environment.allCases.filter(key.environments.contains)
    object.put("environments", JSONValue.array(environments.map { .string($0.rawValue) }))
    object.put("topics", key.topics.map { JSONValue.array($0.map { .string($0) }) })
    object.put("related", key.relatedKeyID)
    object.put("publicKey", publicKey)
    return object.json
  }

  static func read(_ node: SourceNode) throws(InputProblem) -> Command {
    let fields = try Fields(node, "addKey", known: members)
    let key = ProviderKey(
      keyID: try fields.needed("keyId", "the id of a key"), teamID: try fields.needed("teamId", "the key's team"),
      environments: try environments(fields), topics: try fields.texts("topics"),
      relatedKeyID: try fields.text("related"))
    return .addKey(key, publicKey: try fields.needed("publicKey", "the key's public half"))
  }

  static func environments(_ fields: Fields) throws(InputProblem) -> Set<Environment> {
    var environments: Set<Environment> = []
    for word in try fields.texts("environments") ?? [] {
      guard let environment = Environment(rawValue: word) else {
        throw fields.problem("environments", "environments must be sandbox and production, not \(word).")
      }
      environments.insert(environment)
    }
    return environments
  }
}
