import APNs
import Devices
import Grammar
import Scenarios
import Simulation
import Timeline
import WireFormats

/// The check of a payload that is not sent.
enum LintRoutes {
  static func check(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let plan = simulator.world.fleet.plan
    let now = simulator.now(wall: context.wall).world
    return .unlocked { [context] () throws(AdminProblem) in
      let (order, check) = try context.read(RequestBody.lint) { fields throws(InputProblem) in
        let order = try read(fields)
        return (order, try PayloadCheck(order, apps: plan.apps, policy: plan.policy, at: now))
      }
      return .json([
        "pushType": JSONValue(check.pushType?.rawValue), "guessed": .bool(order.pushType == nil),
        "lost": .bool(check.loses), "findings": .array(check.findings.map(\.json)),
      ])
    }
  }

  private static func read(_ fields: Fields) throws(InputProblem) -> PayloadCheck.Order {
    var order = PayloadCheck.Order(try PushBody.read(fields))
    order.pushType = try fields.choice("pushType", PushType.choices)
    order.app = try fields.text("app")
    order.attributesType = try fields.text("attributesType")
    if let text = try fields.text("os") {
      guard let os = OSVersion(text) else {
        throw fields.problem("os", "os must be a version of iOS such as 18 or 26.1, not \(Wording.quoted(text)).")
      }
      order.os = os
    }
    return order
  }
}

/// The body of a push in a request: `payload`, a JSON object, or `raw`, any text.
enum PushBody {
  static func read(_ fields: Fields) throws(InputProblem) -> [UInt8] {
    if let raw = fields.json("raw") {
      guard !fields.has("payload") else {
        throw fields.problem("raw", "payload and raw cannot be combined.", code: .contradiction)
      }
      // Not read as a text, because it may be longer than texts.
      guard let text = raw.string else {
        throw fields.problem("raw", "raw must be the body as text; use payload for JSON.", code: .wrongType)
      }
      return Array(text.utf8)
    }
    guard let payload = try fields.object("payload") else {
      throw fields.problem(
        "payload", "payload is required: a JSON object such as {\"aps\": {\"alert\": \"Hello\"}}.", code: .missingKey)
    }
    return Array(payload.text.utf8)
  }
}

extension PayloadLint.Finding {
  var json: JSONValue {
    ["weight": .string(weight.rawValue), "path": .string(path), "sentence": .string(sentence)]
  }
}

extension PushType {
  static let choices = allCases.map { (name: $0.rawValue, value: $0) }
}
