import Devices
import Grammar
import Pushpit
import Timeline
import WireFormats

/// A push that starts, updates or ends a Live Activity on a phone: `pushpit send --live-activity`.
package struct LiveActivityPush: Sendable {
  package enum Event: String, CaseIterable, Sendable {
    case start
    case update
    case end

    /// - Throws: `InputProblem` for another word.
    package init(word: String) throws(InputProblem) {
      let words = Self.allCases.map(\.rawValue)
      guard let event = Self(rawValue: word) else {
        throw InputProblem(
          "--live-activity must be \(Wording.list(words, "or")), not \(Wording.quoted(word))"
            + Wording.suggestion(for: word, among: words))
      }
      self = event
    }
  }

  package let event: Event
  package let device: String
  /// Nil for the first app that has a token for it.
  package var app: String?
  /// Environment of the gateway; nil if unknown.
  package var environment: String?

  package init(_ event: Event, on device: String) {
    self.event = event
    self.device = device
  }

  /// The push, and a sentence about it.
  package struct Prepared: Sendable {
    package let request: SendRequest
    package let sentence: String
  }

  /// A token, and what is known of the activity that it starts or updates.
  private struct Address: Sendable {
    let token: String
    let app: String
    let type: String
    /// Nil for one that is to be started.
    var activity: JSONValue?

    var id: String? { activity?["id"]?.string }
  }

  package func prepared(at target: RunningServer) throws -> Prepared {
    try target.checkListeners()
    let view = try target.api.perform(AdminAPI.Order("v1", "devices", device)).value
    let address = try event == .start ? startAddress(view) : updateAddress(view)
    let payload = try payload(for: address, target.api)
    var request = SendRequest(to: .token(address.token), payload: Array(payload.text.utf8))
    request.push.app = address.app
    request.givenType = "liveactivity"
    let token =
      address.id.map { "update token of the activity \($0)" } ?? "push-to-start token of \(address.type)"
    let sentence = "To the \(token) of \(address.app) on \(device): \(payload.text)"
    return Prepared(request: request, sentence: TerminalText.clean(sentence))
  }

  // MARK: - Where to

  /// The apps that may be meant.
  private func apps(_ view: JSONValue) throws(CommandFailure) -> [JSONValue] {
    let all = view["apps"]?.elements ?? []
    let named = all.filter { app == nil || $0["bundleId"]?.string == app }
    guard !named.isEmpty else {
      throw CommandFailure(
        "\(device) has no app \(app ?? "at all"); its apps are"
          + " \(Wording.list(all.compactMap { $0["bundleId"]?.string })).")
    }
    let here = named.filter { environment == nil || $0["environment"]?.string == environment }
    guard !here.isEmpty else {
      throw CommandFailure(
        "\(app ?? "No app") on \(device) has \(app == nil ? "" : "no ")tokens of \(environment ?? "")"
          + (environment == "sandbox" ? "; --production sends to production." : "."))
    }
    return here
  }

  private func startAddress(_ view: JSONValue) throws(CommandFailure) -> Address {
    let apps = try apps(view)
    for app in apps {
      guard let start = app["pushToStart"]?.elements?.first, let token = start["token"]?.string else { continue }
      return Address(
        token: token, app: app["bundleId"]?.string ?? "", type: start["attributesType"]?.string ?? "")
    }
    throw CommandFailure(
      "\(app ?? "No app") on \(device) has \(app == nil ? "a" : "no") push-to-start token; `pushpit tokens \(device)`"
        + " lists its tokens.")
  }

  /// The newest activity that runs and has a token, as for `POST /v1/devices/{id}/pushes`.
  private func updateAddress(_ view: JSONValue) throws(CommandFailure) -> Address {
    let running = try apps(view).flatMap { app in
      (app["activities"]?.elements ?? []).filter { ["active", "stale"].contains($0["state"]?.string) }.map { (app, $0) }
    }
    let reachable = running.filter { $0.1["updateToken"]?.string != nil }
    // Written in one form, such times are ordered like their texts.
    let newest = (reachable.isEmpty ? running : reachable).reversed().max {
      ($0.1["startedAt"]?.string ?? "") < ($1.1["startedAt"]?.string ?? "")
    }
    guard let (app, activity) = newest else {
      let place = self.app.map { " of \($0)" } ?? ""
      let flag = self.app.map { " --app \($0)" } ?? ""
      throw CommandFailure(
        "No Live Activity\(place) runs on \(device); `pushpit send --to \(device)\(flag) --live-activity start` starts"
          + " one.")
    }
    guard let token = activity["updateToken"]?.string else {
      throw CommandFailure(
        "The activity \(activity["id"]?.string ?? "") on \(device) has no update token: it was started without one, or"
          + " for a channel.")
    }
    return Address(
      token: token, app: app["bundleId"]?.string ?? "", type: activity["attributesType"]?.string ?? "",
      activity: activity)
  }

  // MARK: - What

  private func payload(for address: Address, _ api: AdminAPI) throws(CommandFailure) -> JSONValue {
    let now = Instant(rfc3339: try api.perform(AdminAPI.Order("v1", "clock")).value["now"]?.string ?? "")
    let example = ContentExample(now: now ?? SystemClock.now)
    let type = try declared(address, api)
    let state = type?["contentState"].flatMap(Self.schema)
    let shown = try address.id.flatMap { (id) throws(CommandFailure) in try contentState(of: id, api) }
    let fresh = state.map { example.value($0) } ?? ["count": 0]
    var aps: [JSONValue.Member] = [
      .init("timestamp", .integer(try timestamp(for: address, example.now, api))),
      .init("event", .string(event.rawValue)),
    ]
    switch event {
    case .start:
      let attributes = type?["attributes"].flatMap(Self.schema).map { example.value($0) }
      aps += [
        .init("attributes-type", .string(address.type)), .init("attributes", attributes ?? ["title": "Pushpit"]),
        .init("content-state", fresh), .init("alert", ["title": .string(address.type), "body": "It has started."]),
      ]
    case .update: aps.append(.init("content-state", example.changed(shown ?? fresh, state)))
    case .end: aps.append(.init("content-state", shown ?? fresh))
    }
    return ["aps": .object(aps)]
  }

  /// The type of the activity as the settings declare it.
  private func declared(_ address: Address, _ api: AdminAPI) throws(CommandFailure) -> JSONValue? {
    let apps = try api.perform(AdminAPI.Order("v1", "apps")).value["apps"]?.elements ?? []
    let types = apps.first { $0["bundleId"]?.string == address.app }?["attributesTypes"]?.elements ?? []
    return types.first { $0["name"]?.string == address.type }
  }

  /// Nil if the settings have no schema.
  private static func schema(_ value: JSONValue) -> ContentSchema? { value == .null ? nil : try? ContentSchema(value) }

  /// The content state that the card shows.
  private func contentState(of activity: String, _ api: AdminAPI) throws(CommandFailure) -> JSONValue? {
    let screen = try api.perform(AdminAPI.Order("v1", "devices", device, "screen")).value
    let card = screen["lockScreen"]?.elements?.first { $0["activity"]?.string == activity }
    guard let state = card?["contentState"], state != .null else { return nil }
    return state
  }

  /// Now, or a second after the last push to the activity: a phone drops an update that is not newer.
  private func timestamp(
    for address: Address, _ now: Instant, _ api: AdminAPI
  ) throws(CommandFailure) -> Int64 {
    guard let activity = address.activity else { return now.seconds }
    var order = AdminAPI.Order("v1", "pushes")
    order.query = [("token", address.token), ("limit", "1")]
    let last = try api.perform(order).value["pushes"]?.elements?.first.map { PushFacts(push: $0) }
    let before = [
      activity["startedAt"]?.string.flatMap { Instant(rfc3339: $0) }?.seconds,
      last?.payload?["aps"]?["timestamp"]?.integer,
    ]
    // A timestamp in milliseconds is a mistake that need not be repeated.
    let newest = before.compactMap(\.self).filter { $0 < now.seconds + Self.mostAhead }.max() ?? 0
    return max(now.seconds, newest + 1)
  }

  /// Seconds that timestamps may run ahead of the clock.
  private static let mostAhead: Int64 = 86_400
}
