import APNs
import Devices
import Grammar
import Orders
import Simulation
import WireFormats

/// A push to a phone, as a client of the admin API describes it.
struct DevicePush: Sendable {
  let payload: [UInt8]
  let tokenKind: TokenKind
  /// Bundle id; nil for the first app that has such a token.
  private let app: String?
  private let attributesType: String?
  /// The attributes type that the payload of a start names.
  private let startedType: String?
  private let activity: String?
  /// Nil for the environment that has issued the token.
  private let environment: Environment?
  private let headers: ProviderHeaders
  /// Headers that replace others; nil leaves a header out.
  private let given: [(name: String, value: String?)]

  static let type = ValueType.members(
    [("payload", .object), ("raw", .text())]
      + FilterReader.members(
        [
          "app", "tokenKind", "attributesType", "activity", "environment", "pushType", "priority", "topic",
          "expiration", "collapseId", "id", "headers",
        ],
        [
          "attributesType": .text(), "activity": .text(), "expiration": .anyWhole, "collapseId": .text(), "id": .uuid,
          "headers": .object,
        ]))

  init(_ fields: Fields) throws(InputProblem) {
    payload = try PushBody.read(fields)
    guard payload.count <= Self.mostBytes else {
      throw fields.problem(
        fields.has("raw") ? "raw" : "payload",
        "The body of the push has \(payload.count) bytes; at most \(Self.mostBytes) are read, as from a client.")
    }
    let kind = try fields.choice("tokenKind", TokenChoice.kinds)
    let type = try fields.choice("pushType", PushType.choices) ?? Self.pushType(to: kind, payload)
    tokenKind = kind ?? Self.tokenKind(of: type, payload)
    app = try fields.text("app")
    attributesType = try fields.text("attributesType")
    startedType = (try? JSONNode.read(payload) { $0["aps"]?["attributes-type"]?.string }) ?? nil
    activity = try fields.text("activity")
    try TokenChoice.check(
      attributesType: attributesType, activity: activity, for: tokenKind, in: fields, what: "this push goes to")
    environment = try fields.choice("environment", Environment.choices)
    var headers = ProviderHeaders(pushType: type.rawValue)
    headers.topic = try Self.line(fields, "topic")
    headers.priority = try fields.choice("priority", Priority.allCases.map { ("\($0.rawValue)", "\($0.rawValue)") })
    headers.expiration = try fields.whole("expiration").map { "\($0)" }
    headers.collapseID = try Self.line(fields, "collapseId")
    headers.id = try Self.line(fields, "id")
    self.headers = headers
    given = try Self.headers(fields)
  }

  // MARK: - Defaults

  /// The push type of a push to such a token: as the payload looks, if that is possible.
  private static func pushType(to kind: TokenKind?, _ payload: [UInt8]) -> PushType {
    let guess = PayloadLint.guess(payload) ?? .alert
    guard let kind, tokenKind(of: guess, payload) != kind else { return guess }
    switch kind {
    case .device: return .alert
    case .pushToStart, .update: return .liveactivity
    case .service(let suffix): return PushType.allCases.first { $0.suffix == suffix } ?? .alert
    }
  }

  private static func tokenKind(of type: PushType, _ payload: [UInt8]) -> TokenKind {
    switch type {
    case .alert, .background, .mdm: return .device
    case .liveactivity:
      let event = try? JSONNode.read(payload) { $0["aps"]?["event"]?.string }
      return event == "start" ? .pushToStart : .update
    default: return .service(type.suffix)
    }
  }

  // MARK: - Headers

  /// Maximum number of bytes of the body: of a client, no more are read either.
  private static let mostBytes = 8192
  /// Maximum size of all given headers. Over HTTP/2 APNs answers 431 if all headers have more than 8000.
  private static let mostHeaderBytes = 7000
  /// RFC 9113 section 8.2.2: they make a request malformed. A body's length is its own.
  private static let ofHTTP1: Set = [
    "connection", "content-length", "host", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade",
  ]
  /// Maximum number of headers; a real client could not send more either.
  private static let mostHeaders = 50

  private static func headers(_ fields: Fields) throws(InputProblem) -> [(name: String, value: String?)] {
    guard let node = fields["headers"] else { return [] }
    guard let entries = node.entries, entries.count <= mostHeaders else {
      throw fields.problem(
        "headers",
        "headers must be an object with at most \(mostHeaders) names and values, such as"
          + " {\"apns-expiration\": \"0\"}.", code: .wrongType)
    }
    var headers: [(name: String, value: String?)] = []
    for entry in entries {
      guard !entry.key.isEmpty, entry.key.utf8.count <= Fields.longestText, entry.key.utf8.allSatisfy(isOfName) else {
        throw fields.problem(
          "headers",
          "headers: a name has lower-case letters, digits and hyphens, such as apns-expiration, not"
            + " \(Wording.quoted(entry.key)).")
      }
      guard !ofHTTP1.contains(entry.key) else {
        throw fields.problem("headers", "headers: a request over HTTP/2 cannot have \(entry.key).")
      }
      let value = entry.value.isNull ? nil : entry.value.spelling
      guard entry.value.isNull || value != nil, isOfHeader(value ?? "") else {
        throw InputProblem(
          "\(entry.key) must be a single value in one line, or null to leave the header out.", field: "headers",
          at: entry.value.place, code: .wrongType)
      }
      headers.append((entry.key, value))
    }
    // RFC 9113 section 6.5.2: the size of a header is that of its name and value, and 32.
    guard headers.reduce(0, { $0 + $1.name.utf8.count + ($1.value?.utf8.count ?? 0) + 32 }) <= mostHeaderBytes else {
      throw fields.problem(
        "headers", "headers must be at most \(mostHeaderBytes) bytes of names and values, with 32 for each.")
    }
    return headers
  }

  /// A text that a header can carry.
  private static func line(_ fields: Fields, _ name: String) throws(InputProblem) -> String? {
    guard let text = try fields.text(name) else { return nil }
    guard isOfHeader(text) else { throw fields.problem(name, "\(name) must be in one line.") }
    return text
  }

  private static func isOfHeader(_ value: String) -> Bool {
    value.utf8.count <= HTTPFields.longest && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
    default: false
    }
  }

  // MARK: - Its token

  /// A token of a phone, for this push.
  struct Target: Sendable {
    let app: AppProfile
    let environment: Environment
    let token: String
  }

  /// The phone's token for the push.
  ///
  /// - Throws: 404 for an app that the phone does not have, 409 if it has no such token, with those that it has.
  func target(on device: DeviceView) throws(AdminProblem) -> Target {
    let apps = device.apps.filter { app == nil || $0.profile.bundleID == app }
    guard !apps.isEmpty else {
      let known = device.apps.map(\.profile.bundleID)
      throw AdminProblem(
        404,
        "\(device.id.text) has no app \(Wording.quoted(app ?? "")); its apps are \(Wording.list(known))"
          + Wording.suggestion(for: app ?? "", among: known), field: "app")
    }
    if let (app, token) = token(in: apps) {
      return Target(app: app.profile, environment: environment ?? app.environment, token: token)
    }
    let wanted = [tokenKind.name, attributesType, activity].compactMap(\.self).joined(separator: " ")
    let has = apps.map { "\($0.profile.bundleID) \(Self.tokens(of: $0))" }
    throw AdminProblem(
      409, "\(device.id.text) has no token \(wanted): \(has.joined(separator: "; ")).", field: "tokenKind")
  }

  /// The token of the newest activity that is meant; else that of the first app that has one.
  private func token(in apps: [DeviceView.App]) -> (app: DeviceView.App, token: String)? {
    guard tokenKind == .update else {
      return apps.lazy.compactMap { app in token(in: app).map { (app, $0) } }.first
    }
    let meant = apps.flatMap { app in
      // A push to an ended activity has to name it.
      app.activities.filter { activity == nil ? !$0.isOver && $0.token != nil : $0.id == activity }.map { (app, $0) }
    }
    // Of those that have started at once, the last.
    let newest = meant.reversed().max { $0.1.startedAt < $1.1.startedAt }
    return newest.flatMap { app, activity in activity.token.map { (app, $0) } }
  }

  private func token(in app: DeviceView.App) -> String? {
    switch tokenKind {
    case .device: return app.deviceToken
    case .pushToStart:
      let tokens = app.startTokens
      if let attributesType { return tokens.first { $0.attributesType == attributesType }?.token }
      return (tokens.first { $0.attributesType == startedType } ?? tokens.first)?.token
    case .update: return nil
    case .service: return app.services.first { $0.kind == tokenKind }?.token
    }
  }

  /// The tokens that an app has now, in words.
  private static func tokens(of app: DeviceView.App) -> String {
    guard app.isInstalled else { return "is not installed" }
    let device = app.deviceToken == nil ? [] : [TokenKind.device.name]
    let starts = app.startTokens.map { "\(TokenKind.pushToStart.name) \($0.attributesType)" }
    let services = app.services.map(\.kind.name)
    let updates = app.activities.filter { !$0.isOver && $0.token != nil }.map { "\(TokenKind.update.name) \($0.id)" }
    let all = device + starts + services + updates
    return all.isEmpty ? "has no token yet" : "has \(Wording.list(all, "and"))"
  }

  // MARK: - Its request

  /// True if `headers` names `authorization`, with a provider token or with null for none.
  var hasAuthorization: Bool { given.contains { $0.name == "authorization" } }

  /// - Parameter authorization: nil without a provider token.
  func request(to target: Target, authorization: String?) -> HTTPRequest {
    var fields = authorization.map { [(name: "authorization", value: $0)] } ?? []
    fields += headers.list(for: target.app.bundleID)
    fields.removeAll { field in given.contains { $0.name == field.name } }
    for case (let name, let value?) in given { fields.append((name, value)) }
    return HTTPRequest("POST", "/3/device/\(target.token)", fields: fields, body: payload)
  }
}
