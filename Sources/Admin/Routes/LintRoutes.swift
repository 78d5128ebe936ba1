import APNs
import Devices
import Grammar
import Scenarios
import Simulation
import Timeline
import WireFormats

/// The check of a payload that is not sent.
enum LintRoutes {
  static let routes: [Route] = [
    Route(
      "POST /v1/lint", id: "lintPayload", tag: .world, summary: "what iOS would silently drop or change in a payload",
      answer: check
    )
    .meaning(
      """
      The check of `pushpit lint`, with the apps, the schemas and the settings of the server. Nothing is sent
      or recorded.
      """
    )
    .body(
      .lint,
      examples: [
        .init(
          "alert", "A flag of a wrong type",
          value: ["payload": ["aps": ["alert": "Goal!", "badge": "1"]], "pushType": "alert"]
        )
      ]
    )
    .answers(.json("The findings.", shape.schema))
  ]

  private static let shape = Shape<(order: PayloadCheck.Order, check: PayloadCheck)>(members: [
    .init(
      "pushType", .pushType.orNull,
      meaning: "The push type that it was checked as; null if the body is not a JSON object."
    ) { JSONValue($0.check.pushType?.rawValue) },
    .init("guessed", .truth, meaning: "Whether the push type was guessed from the payload.") {
      .bool($0.order.pushType == nil)
    },
    .init("lost", .truth, meaning: "Whether APNs would reject the push or iOS would drop it.") {
      .bool($0.check.loses)
    },
    .list("findings", of: PayloadLint.Finding.shape) { $0.check.findings },
  ])

  static func check(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let plan = simulator.world.fleet.plan
    let now = simulator.now(wall: context.wall).world
    return .unlocked { [context] () throws(AdminProblem) in
      let checked = try context.read(RequestBody.lint) { fields throws(InputProblem) in
        let order = try read(fields)
        return (order: order, check: try PayloadCheck(order, apps: plan.apps, policy: plan.policy, at: now))
      }
      return .json(shape.json(checked))
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
  static let shape = Shape<PayloadLint.Finding>(
    "LintFinding",
    members: [
      .init(
        "weight", .words(PayloadLint.Finding.Weight.self),
        meaning: """
          `lost`: APNs rejects the push or iOS drops it. `changed`: iOS shows something other than probably meant.
          `unchecked`: it depends on something that is not known here, such as a schema.
          """
      ) { .string($0.weight.rawValue) },
      .init("path", .string, meaning: "The path in the payload.") { .string($0.path) },
      .init("sentence", .string) { .string($0.sentence) },
    ])
}

extension PushType {
  static let choices = allCases.map { (name: $0.rawValue, value: $0) }
}
