import APNs
import Devices
import Grammar
import Simulation
import Timeline
import WireFormats

/// An order as JSON, in the grammar of the admin API: the form in which tapes store it.
///
///     {"do": "lock", "device": "d3"}
///     {"do": "lock", "where": {"share": "10%"}, "cursor": "17"}
///     {"name": "slow", "then": {"delay": "3s"}, "session": …, "scope": …, "fromNanoseconds": …, "untilNanoseconds": …}
///     {"deleteFault": "slow"}, {"deleteFaults": "all"}, {"deleteFaults": "session", "session": "s1"}
///     {"begin": "anew"}
///     {"addKey": {"keyId": …, "teamId": …, "environments": […], "publicKey": …}}, {"revokeKey": "ABCDE12345"},
///     {"restoreKey": "ABCDE12345"}, {"revokeCertificate": "1f2e…"}, {"suspendCertificates": "all"},
///     {"restoreCertificates": "1f2e3d"}
///     {"register": {"token": …, "kind": …, "device": …, "app": …}}
///
/// Not nested deeper than the body that gave the order, because a reader of the tape has the same limit.
enum CommandText {
  /// Keys besides those of actions and faults.
  private static let members = [
    "device", "where", "cursor", "session", "scope", "fromNanoseconds", "untilNanoseconds", "deleteFault",
    "deleteFaults", "begin", "register", "addKey", "revokeKey", "restoreKey",
    "revokeCertificate", "suspendCertificates", "restoreCertificates",
  ]
  private static let known = DeviceAction.keys + FaultReader.members + members

  /// Nil for the end of an app's call, which is not an order but a result from the network.
  static func json(_ command: Command) -> JSONValue? {
    var object = ObjectWriter()
    switch command {
    case .device(let device, let action):
      object.put(membersOf: action.json)
      object.put("device", device.text)
    case .devices(let selection, let action):
      object.put(membersOf: action.json)
      object.put("where", SelectionWriter.json(selection))
      if selection.start > 0 { object.put("cursor", "\(selection.start)") }
    case .setFault(let fault):
      object.put(membersOf: FaultWriter.json(fault))
      object.put("session", fault.session)
      object.put("scope", fault.condition.scope.map(ScopeText.json))
      object.put("fromNanoseconds", fault.from.map { JSONValue.integer($0.nanoseconds) })
      object.put("untilNanoseconds", fault.until.map { JSONValue.integer($0.nanoseconds) })
    case .deleteFault(let name): object.put("deleteFault", name)
    case .deleteAllFaults: object.put("deleteFaults", "all")
    case .deleteFaults(let session):
      object.put("deleteFaults", "session")
      object.put("session", session)
    case .register(let token, let device, let app, let kind, let type, let activity):
      var register = ObjectWriter()
      register.put("token", token.text)
      register.put("kind", kind.name)
      register.put("device", device.text)
      register.put("app", app)
      register.put("attributesType", type)
      register.put("activity", activity)
      object.put("register", register.json)
    case .beginAnew: object.put("begin", "anew")
    case .addKey(let key, let publicKey): object.put("addKey", KeyText.json(key, publicKey))
    case .revokeKey(let id): object.put("revokeKey", id)
    case .restoreKey(let id): object.put("restoreKey", id)
    case .revokeCertificate(let fingerprint): object.put("revokeCertificate", fingerprint)
    case .suspendCertificates(let name): object.put("suspendCertificates", name)
    case .restoreCertificates(let name): object.put("restoreCertificates", name)
    case .answer: return nil
    }
    return object.json
  }

  static func read(_ json: JSONValue) throws(InputProblem) -> Command {
    let fields = try Fields(SourceNode(json), "an order", known: known)
    if fields.has("do") {
      let action = try DeviceAction.read(fields, beside: ["device", "where", "cursor"])
      guard fields.has("device") else { return .devices(try SelectionReader.parse(fields), action) }
      return .device(try DeviceList.needed(fields), action)
    }
    if fields.has("then") { return .setFault(try fault(fields)) }
    if let node = fields["register"] {
      return try TokenReader.read(Fields(node, "register", known: TokenReader.members))
    }
    if fields.has("begin") { return try fields.neededChoice("begin", [("anew", .beginAnew)]) }
    if let node = fields["addKey"] { return try KeyText.read(node) }
    if let id = try fields.text("revokeKey") { return .revokeKey(id) }
    if let id = try fields.text("restoreKey") { return .restoreKey(id) }
    if let fingerprint = try fields.text("revokeCertificate") { return .revokeCertificate(fingerprint) }
    if let name = try fields.text("suspendCertificates") { return .suspendCertificates(name) }
    if let name = try fields.text("restoreCertificates") { return .restoreCertificates(name) }
    if let name = fields.json("deleteFault")?.string { return .deleteFault(name) }
    guard try fields.neededChoice("deleteFaults", [("all", true), ("session", false)]) else {
      return .deleteFaults(of: try fields.needed("session", "whose faults are deleted"))
    }
    return .deleteAllFaults
  }

  private static func fault(_ fields: Fields) throws(InputProblem) -> Fault {
    var fault = try FaultReader.parse(fields, at: Instant(nanoseconds: 0))
    if let session = try fields.text("session") {
      fault.session = session
      fault.name = Fault.name(fault.name, of: session)
    }
    if let scope = fields["scope"] { fault.condition.scope = try ScopeText.read(scope) }
    fault.from = fields.json("fromNanoseconds")?.integer.map { Instant(nanoseconds: $0) }
    fault.until = fields.json("untilNanoseconds")?.integer.map { Instant(nanoseconds: $0) }
    return fault
  }
}
