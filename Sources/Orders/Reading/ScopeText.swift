import Devices
import Grammar
import Simulation
import WireFormats

/// The scope of a session as JSON, for tapes.
enum ScopeText {
  static func json(_ scope: Filter) -> JSONValue {
    var object = ObjectWriter()
    object.put(
      "keys",
      scope.keys.map { keys in
        JSONValue.array(keys.map { ["id": .string($0.id), "number": .integer(Int64($0.number))] })
      })
    object.put("topics", scope.topics.map { JSONValue.array($0.map { .string($0.text) }) })
    if let devices = scope.devices { object.put("devices", devices) }
    return object.json
  }

  static func read(_ node: SourceNode) throws(InputProblem) -> Filter {
    let fields = try Fields(node, "scope", known: ["keys", "topics", "devices"])
    var scope = Filter()
    if let list = fields.json("keys")?.elements {
      var keys: [Filter.Key] = []
      for key in list {
        guard let id = key["id"]?.string, let number = key["number"]?.integer.flatMap({ Int(exactly: $0) }) else {
          throw fields.problem("keys", "keys must be a list of objects with id and number.", code: .wrongType)
        }
        keys.append(Filter.Key(id: id, number: number))
      }
      scope.keys = keys
    }
    if let list = fields.json("topics")?.elements {
      var topics: [SessionTopic] = []
      for text in list {
        guard let topic = text.string.flatMap(SessionTopic.init) else {
          throw fields.problem("topics", "topics must be a list of strings.", code: .wrongType)
        }
        topics.append(topic)
      }
      scope.topics = topics
    }
    scope.devices = try DeviceList.read(fields, most: Selection.mostChanged)?.sorted()
    return scope
  }
}
