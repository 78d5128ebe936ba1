extension Pushpit {
  /// A virtual iPhone.
  public struct Phone: Sendable {
    public let pushpit: Pushpit
    /// The phone's id, such as `d0`.
    public let device: String
    /// The name of the session that it was opened for.
    let session: String?
    /// The app that tests are about; nil for the phone's first.
    let givenApp: String?

    var path: String { "/v1/devices/\(AdminClient.part(device))" }

    /// Bundle id of the app that tests are about.
    public func app() async throws -> String {
      if let givenApp { return givenApp }
      return try await state()["apps"][0]["bundleId"].text
    }

    /// The phone with its apps, tokens and activities, as the admin API shows it.
    public func state() async throws -> JSON { try await pushpit.api.get(path) }

    /// The current token of the phone.
    ///
    /// - Parameter kind: `device`, `pushToStart`, `update`, or that of a service such as `voip`.
    public func token(
      _ kind: String = "device", app: String? = nil, attributesType: String? = nil
    ) async throws -> String {
      let state = try await state()
      let bundle = app ?? givenApp ?? state["apps"][0]["bundleId"].text
      guard let install = state["apps"].array?.first(where: { $0["bundleId"].string == bundle }) else {
        throw PushpitError(.noToken, "\(device) has no app \(bundle).")
      }
      let found = Self.tokens(of: install, kind).filter { attributesType == nil || $0.type == attributesType }
      guard let token = found.first else {
        let why = install["installed"].bool == false ? ": the app is not installed" : ""
        throw PushpitError(.noToken, "\(device) has no \(kind) token of \(bundle) now\(why).")
      }
      guard kind != "update" || found.count == 1 else {
        throw PushpitError(
          .noToken, "\(device) has \(found.count) update tokens of \(bundle): take one from state().")
      }
      return token.token
    }

    /// Tokens of an app of that kind, each with its attributes type if it has one.
    private static func tokens(of install: JSON, _ kind: String) -> [(type: String?, token: String)] {
      let rows: [(type: JSON, token: JSON)] =
        switch kind {
        case "device": [(nil, install["deviceToken"])]
        case "pushToStart": (install["pushToStart"].array ?? []).map { ($0["attributesType"], $0["token"]) }
        case "update":
          (install["activities"].array ?? []).filter { !["ended", "dismissed"].contains($0["state"].text) }
            .map { ($0["attributesType"], $0["updateToken"]) }
        default: (install["services"].array ?? []).filter { $0["kind"].string == kind }.map { (nil, $0["token"]) }
        }
      return rows.compactMap { row in row.token.string.map { (type: row.type.string, token: $0) } }
    }

    /// The screen as a person would see it now.
    public func screen() async throws -> Screen { Screen(raw: try await pushpit.api.get(path + "/screen")) }

    /// The phone's log, newest first.
    ///
    /// - Parameter process: only lines of that process, such as `SpringBoard`.
    public func log(_ process: String? = nil, limit: Int = 100) async throws -> [JSON] {
      let query: [String: JSON] = ["process": process.map { JSON($0) } ?? nil, "limit": JSON(limit)]
      return try await pushpit.api.get(path + "/log", query)["lines"].array ?? []
    }

    /// Pushes to it, newest first; only those of its session if it has one.
    public func pushes(_ filters: [String: JSON] = [:]) async throws -> [Push] {
      var own = ["device": JSON(device)]
      if let session { own["session"] = JSON(session) }
      return try await pushpit.pushes(filters.merging(own) { given, _ in given })
    }

    /// Performs an action of its owner, or an event on the phone, by a name of the admin API: `uninstall`,
    /// `goOffline`, `swipe`.
    ///
    /// - Returns: the events that it caused.
    @discardableResult
    public func act(_ action: String, _ details: [String: JSON] = [:]) async throws -> [JSON] {
      let order = details.merging(["do": JSON(action)]) { _, new in new }
      return try await pushpit.api.post(path + "/actions", JSON(order))["events"].array ?? []
    }

    /// Waits until the screen matches a shape: `["notification": ["title": "Goal!"]]`, and `notifications`, `card`,
    /// `cards`, `badge`, as `show` in scenario files.
    @discardableResult
    public func expect(_ shape: [String: JSON], within: Duration = Pushpit.patience) async throws -> Screen {
      try Screen.check(shape)
      let seen = try await Polling.last(within) {
        try await screen()
      } until: {
        $0.differences(from: shape).isEmpty
      }
      let differing = seen.differences(from: shape)
      if differing.isEmpty { return seen }
      throw PushpitError(
        .expectation,
        "\(device) does not show it within \(within.seconds) s: \(differing.joined(separator: "; ")).")
    }

    /// Removes what an earlier test has left on the screen.
    func clear() async throws {
      let screen = try await screen()
      for card in screen.cards {
        try await attempt("swipe", ["app": JSON(card.app), "activity": card.raw["activity"]])
      }
      for app in Set(screen.notifications.map(\.app)) { try await attempt("clearNotifications", ["app": JSON(app)]) }
    }

    private func attempt(_ action: String, _ details: [String: JSON]) async throws {
      do {
        try await act(action, details)
      } catch let error as PushpitError where error.status == 422 {
        // It has gone meanwhile.
      }
    }
  }
}
