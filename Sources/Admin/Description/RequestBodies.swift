import APNs
import Grammar
import Orders
import Scenarios
import Simulation
import WireFormats

/// The request bodies of the admin API. Readers take their keys from here.
extension RequestBody {
  private static func text(_ most: Int) -> Schema { .string.with(["maxLength": JSONValue(most)]) }

  private static let expectations = Schema.list(of: ExpectationReader.sessionSchema)
    .with(["maxItems": JSONValue(Scenario.mostExpectations)])
    .named(
      "Expectations",
      "Evaluated when the session is closed, or by /v1/verify; `within` counts from when they are given.")

  static let providerToken = RequestBody([
    .init("token", text(Fields.longestText), meaning: "The JWT after `bearer`."), .maybe("environment", .environment),
  ])

  static let push = RequestBody(
    Schema.members(
      of: DevicePush.type,
      [
        "payload": "The body of the push, sent in compact form. This or `raw` is required.",
        "raw": "The body byte for byte, which need not be JSON.",
        "app": "Bundle id. Default: the device's first app with such a token.",
        "tokenKind": "The kind of token it goes to. Default: from the push type.",
        "attributesType": "For `pushToStart`: the attributes type. Default: that of the payload, or the first.",
        "activity": "For `update`: the id of the activity. Default: the newest that is running.",
        "environment": "The gateway it is sent to. Default: that of the token.",
        "pushType": "Default: as the payload looks.",
        "priority": "Default: 5 for a background push, otherwise none.",
        "topic": "Default: the bundle id with the suffix of the push type.",
        "expiration": "Seconds since 1970, or 0.", "id": "The `apns-id`. Default: the server makes one.",
        "headers": .init(
          """
          Headers that replace those above, by their lower-case names; null leaves a header out. With `authorization`,
          the push is not signed with a key of the server.
          """, limits: ["example": ["apns-expiration": "0"]]),
      ]), named: "PushOrder")

  static let lint = RequestBody([
    .maybe("payload", .object, meaning: "The body of the push. This or `raw` is required."),
    .maybe("raw", .string, meaning: "The body as text, which need not be JSON."),
    .maybe("pushType", .pushType, meaning: "Default: as the payload looks."),
    .maybe(
      "app", .string,
      meaning: "Bundle id of the app of a Live Activity. Default: the first app with an attributes type."),
    .maybe(
      "attributesType", .string, meaning: "Attributes type of the activity that is updated. Default: the app's first."),
    .maybe("os", .string, meaning: "Version of iOS. Default: 26.1."),
  ])

  static let token = RequestBody(
    Schema.members(
      of: TokenReader.type,
      [
        "token": .init(
          "The token in hexadecimal, in upper or lower case.", limits: ["pattern": "^([0-9A-Fa-f]{2}){1,128}$"]),
        "app": "Bundle id of an app of the fleet that is installed on the device.",
        "attributesType": "For a pushToStart token. Default: the app's first.",
        "activity": "For an update token, the id of a running activity. Default: the only one that runs.",
      ]), named: "Registration",
    "A token from GET /v1/tokens can be sent back; keys that only responses have (`readOnly`) are ignored.",
    answered: TokenReader.answered)

  static let clock = {
    let members = ClockChange.shape.members.map(\.described)
    return RequestBody(members, named: "ClockChange", as: .object(members).with(["minProperties": 1]))
  }()

  static let verification = RequestBody([
    .init("expect", expectations),
    .maybe("within", .duration.example("5s"), meaning: "How long to wait, at most 5m. Default: not at all."),
    .maybe("after", .whole, meaning: "Only events after the one of this number count."),
  ])

  static let sessionExpectations = RequestBody([.init("expect", expectations)])

  static let session = RequestBody(
    [
      .maybe("name", .string.with(["minLength": 1, "maxLength": 200]), meaning: "Default: a generated name."),
      .maybe("keys", some(.string.meaning("Key id of a provider key."), most: SessionDraft.mostKeys)),
      .maybe(
        "topics",
        some(
          .string.meaning("A bundle id, which includes all services of the app, or one complete topic."),
          most: SessionDraft.mostTopics)
      ),
      .maybe("devices", some(.deviceID, most: Selection.mostChanged)),
      .maybe(
        "claim",
        .object(
          Schema.members(
            of: claim,
            [
              "count": .init(limits: ["default": 1]), "app": "Only phones with this app.",
              "os": "Only phones with this version of iOS, such as `26` or `26.1`.",
              "online": .init(limits: ["default": true]),
            ])),
        meaning: "Free phones instead of `devices`; they are in no open session. Without enough of them, 409."),
      .maybe(
        "ledger",
        .either([
          ledger,
          .object([.maybe("capacity", ledger), .maybe("kept", .plain(["readOnly": true]))])
            .meaning("As in responses."),
        ]), meaning: "Maximum number of pushes kept. The default is 10000."),
      .maybe(
        "expires", .duration,
        meaning: """
          How long the session may stay open, from `1s` to `7d` of the machine's clock. After that it is closed, so
          that a test that died does not keep its phones.
          """), .maybe("expect", expectations),
    ], named: "SessionOrder",
    """
    At least one of keys, topics and devices, unless the session should get every push. The response of GET can be
    sent back after that session is deleted: keys that only responses have (`readOnly`) are ignored, and null has
    the same meaning as a missing key.
    """, answered: SessionDraft.answered)

  static let hunt = RequestBody(
    [
      .maybe("name", .string, meaning: "The name of the test."),
      .maybe("seed", .whole.with(["default": 1])),
      .maybe(
        "accept", .list(of: .string).with(["maxItems": JSONValue(HuntOrder.mostAccepted)]),
        meaning: """
          What is not played: words of a fault's `then`, such as `goAway`, and reasons of APNs, such as
          `TooManyRequests`.
          """),
      .maybe(
        "kept", .list(of: some(HuntJSON.perturbation, most: HuntOrder.mostPerturbations)),
        meaning: "Finds of earlier hunts, which are played first; of a longer list, the last \(HuntOrder.mostKept)."),
    ], named: "HuntOrder")

  static let huntVerdict = RequestBody(
    [
      .init("variant", .positive.with(["maximum": JSONValue(Int(Int32.max))])),
      .maybe("passed", .truth, meaning: "Required, unless there is a problem."),
      .maybe("failure", .string, meaning: "The failed assertion; the beginning of its first line counts."),
      .maybe(
        "at", .string,
        meaning: """
          Where it failed, such as the kind of the error, the file and the line: failures of one place are the same
          failure. Default: the failure without numbers and ids.
          """),
      .maybe("problem", .string, meaning: "Why the test was not played to its end: it was skipped, for example."),
      .maybe("session", .string, meaning: "The session in which it was played. Required, unless there is a problem."),
    ], named: "HuntVerdict")

  private static let ledger = Schema.integer.with(["minimum": 1, "maximum": JSONValue(PushLog.mostPushes)])

  private static func some(_ element: Schema, most: Int) -> Schema {
    .list(of: element).with(["minItems": 1, "maxItems": JSONValue(most)])
  }

  static let claim = ValueType.members(
    FilterReader.members(["count", "app", "os", "online"], ["count": .whole(1...PhoneClaim.most)]))

  static let scenario = RequestBody([
    .maybe("name", .string, meaning: "The file's name for messages."),
    .init("text", .string, meaning: "The scenario file."),
    .maybe("seed", .string, meaning: "Instead of the file's seed. It must be the server's."),
    .maybe(
      "files", .map(of: .string),
      meaning: "The texts of the files that its settings name, by their names. No other file is read."),
  ])

  static let scenarioMove = RequestBody([
    .maybe(
      "begins", .string,
      meaning: """
        With the first move: when the scenario begins, in nanoseconds since 1970, so that several servers
        have the same clock. Not before the world's time, which is the default.
        """), .init("to", .duration, meaning: "A time of the scenario such as 10m, or a number of seconds."),
  ])

  static let reset = RequestBody(
    [
      .maybe("session", .string, meaning: "Only the faults of this session."),
      .maybe(
        "everything", .truth.with(["default": false]), meaning: "Begin with new phones. Not together with a session."),
    ], isNeeded: false)

  static let key = RequestBody([
    .maybe("keyId", text(64), meaning: "The `kid` of its tokens; required with `pem`, otherwise random by default."),
    .maybe("teamId", text(64), meaning: "Default: PUSHPIT001."),
    .maybe("environment", .words(KeyRequest.environments), meaning: "Default: both."),
    .maybe(
      "topics", .list(of: text(200)).with(["maxItems": JSONValue(KeyRequest.mostTopics)]),
      meaning: "Bundle ids to which it is limited. Default: all apps of its team."),
    .maybe("related", text(64), meaning: "The other key that may be used on the same connection."),
    .maybe(
      "pem", text(1000), meaning: "The public half (`PUBLIC KEY`), or a .p8, of which only the public half is kept."),
  ])

  static let certificate = RequestBody([
    .maybe("pem", text(20_000)),
    .maybe("kind", .words(CertificateRequest.kinds), meaning: "Default: universal."),
    .maybe("topic", text(200), meaning: "The bundle id of the app."),
  ])
}
