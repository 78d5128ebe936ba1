import APNs
import Grammar
import Orders
import Simulation

/// The request bodies of the admin API. The readers take their keys from here, and tests compare the types with the
/// OpenAPI document. The body of `POST /v1/devices/{id}/actions` differs from action to action: `ActionReader` has it.
package struct RequestBody: Sendable {
  package let type: ValueType
  /// Further keys that responses have; they are ignored.
  package let answered: [String]

  private init(
    _ members: [(name: String, type: ValueType)], needed: [String] = [], answered: [String] = []
  ) {
    type = .members(members, needed: needed)
    self.answered = answered
  }

  var keys: [String] { type.keys }

  private static let expectations = ValueType.list(of: .object)
  private static let ledger = ValueType.whole(1...PushLog.mostPushes)

  static let providerToken = RequestBody(
    [("token", .text(most: Fields.longestText)), ("environment", .words(Environment.allCases.map(\.rawValue)))],
    needed: ["token"])
  static let action = RequestBody(
    ActionReader.type.members + [("where", SelectionReader.type), ("cursor", .text())], needed: ["do", "where"])
  static let push = RequestBody(DevicePush.type.members)
  static let lint = RequestBody([
    ("payload", .object), ("raw", .text()), ("pushType", .words(PushType.allCases.map(\.rawValue))), ("app", .text()),
    ("attributesType", .text()), ("os", .text()),
  ])
  static let token = RequestBody(
    TokenReader.type.members, needed: ["token", "kind", "device", "app"], answered: TokenReader.answered)
  static let clock = RequestBody([("advance", .duration), ("mode", .words(["wall", "manual"]))])
  static let verification = RequestBody(
    [("expect", expectations), ("within", .duration), ("after", .anyWhole)], needed: ["expect"])
  static let fault = RequestBody(
    FaultReader.type.members + [("session", .text())], needed: ["name", "then"], answered: FaultReader.answered)
  static let session = RequestBody(
    [
      ("name", .text()), ("keys", .list(of: .text())), ("topics", .list(of: .text())),
      ("devices", .list(of: .device)), ("claim", claim),
      ("ledger", .either([ledger, .members([("capacity", ledger)])])), ("expires", .duration),
      ("expect", expectations),
    ], answered: SessionDraft.answered)
  static let sessionExpectations = RequestBody([("expect", expectations)], needed: ["expect"])
  static let scenario = RequestBody(
    [("name", .text()), ("text", .text()), ("seed", .text()), ("files", .object)], needed: ["text"])
  static let scenarioMove = RequestBody([("begins", .text()), ("to", .duration)], needed: ["to"])
  static let reset = RequestBody([("session", .text()), ("everything", .truth)])

  static let key = RequestBody([
    ("keyId", .text()), ("teamId", .text()), ("environment", .words(["sandbox", "production", "both"])),
    ("topics", .list(of: .text())), ("related", .text()), ("pem", .text()),
  ])
  static let certificate = RequestBody([
    ("pem", .text()), ("kind", .words(["universal", "development", "production", "voip", "mdm"])), ("topic", .text()),
  ])

  static let claim = ValueType.members(
    FilterReader.members(["count", "app", "os", "online"], ["count": .whole(1...PhoneClaim.most)]))

  /// By method and path.
  package static let all: [(operation: String, body: RequestBody)] = [
    ("POST /v1/provider-tokens/check", providerToken), ("POST /v1/actions", action), ("POST /v1/tokens", token),
    ("POST /v1/devices/{id}/pushes", push), ("POST /v1/lint", lint),
    ("POST /v1/clock", clock), ("POST /v1/verify", verification), ("POST /v1/faults", fault),
    ("POST /v1/sessions", session), ("PUT /v1/sessions/{name}/expectations", sessionExpectations),
    ("POST /v1/scenarios", scenario), ("POST /v1/scenarios/{id}/move", scenarioMove),
    ("POST /v1/reset", reset), ("POST /v1/keys", key), ("POST /v1/certificates", certificate),
  ]
}
