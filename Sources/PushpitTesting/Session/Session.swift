import Foundation
import Synchronization
import Testing

extension Pushpit {
  /// The pushes, phones, faults and verdict of one test.
  public final class Session: Sendable {
    public let name: String
    public let pushpit: Pushpit
    /// Phones that no other open session has.
    public let phones: [Phone]

    private let judged = Mutex<Verdict?>(nil)

    init(_ pushpit: Pushpit, _ opened: JSON, app: String?) {
      let name = opened["name"].text
      self.pushpit = pushpit
      self.name = name
      phones = (opened["devices"].array ?? []).map {
        Phone(pushpit: pushpit, device: $0.text, session: name, givenApp: app)
      }
    }

    private var api: AdminClient { pushpit.api }
    private var path: String { "/v1/sessions/\(AdminClient.part(name))" }

    /// The first phone of the session.
    public func phone(sourceLocation: SourceLocation = #_sourceLocation) throws -> Phone {
      if let phone = phones.first { return phone }
      throw PushpitError(.misuse, "The session \(name) was opened without phones.", at: sourceLocation)
    }

    /// The verdict; nil until the session is closed here.
    public var verdict: Verdict? { judged.withLock { $0 } }

    /// The session with its counts, as the admin API shows it.
    public func state(sourceLocation: SourceLocation = #_sourceLocation) async throws -> JSON {
      try await at(sourceLocation) { try await api.get(path) }
    }

    /// The pushes of the session, newest first.
    public func pushes(
      _ filters: PushFilter..., limit: Int = 100, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [Push] {
      try await at(sourceLocation) { try await pushes(filters, limit: limit) }
    }

    func pushes(_ filters: [PushFilter], limit: Int) async throws -> [Push] {
      try await pushpit.pushes(filters + [PushFilter("session", name)], limit: limit)
    }

    /// The calls of the session's apps to their backend, newest first.
    public func calls(
      _ filters: CallFilter..., limit: Int = 100, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [Call] {
      let query = (filters + [CallFilter("session", name)]).query(limit: limit)
      return try await at(sourceLocation) { try await api.get("/v1/calls", query)["calls"].rows.map(Call.init) }
    }

    /// Mistakes of the backend that the session saw.
    public func findings(sourceLocation: SourceLocation = #_sourceLocation) async throws -> [Finding] {
      try await at(sourceLocation) {
        try await api.get("/v1/findings", ["session": JSON(name)])["findings"].rows.map(Finding.init)
      }
    }

    /// The stories of the session's last pushes, the latest last.
    public func stories(last: Int = 5, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
      Push.stories(try await pushes(limit: last, sourceLocation: sourceLocation))
    }

    /// The text to show when a test has failed. Waits on the current thread, for callers that cannot await.
    func account() -> String {
      do throws(PushpitError) {
        let pushes = Push.rows(try api.ask("/v1/pushes", ["session": JSON(name), "limit": 5]))
        var lines = ["Last pushes of session \(name) (\(phones.map(\.device).joined(separator: ", "))):"]
        lines.append(Push.stories(pushes))
        guard pushes.isEmpty else { return lines.joined(separator: "\n") }
        // Why no push may have arrived, such as a client that does not trust the authority. Another test may be the
        // cause.
        let troubles = try api.ask("/v1/troubles", ["limit": 3])["troubles"].rows
        lines += troubles.map { "A connection had trouble at \($0["at"].text): \($0["sentence"].text)" }
        return lines.joined(separator: "\n")
      } catch {
        return error.sentence
      }
    }

    /// Deletes all faults of the session, and returns how many there were.
    @discardableResult
    public func deleteFaults(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Int {
      try await at(sourceLocation) { try await api.post("/v1/reset", ["session": JSON(name)])["deleted"].rows.count }
    }

    /// Waits until the session has this many pushes that match the filters, and returns them. More of them are an
    /// error.
    @discardableResult
    public func expect(
      _ count: Int, _ filters: PushFilter..., within: Duration = Pushpit.patience,
      sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [Push] {
      try await at(sourceLocation) { try await expect(count, filters, within: within) }
    }

    func expect(_ count: Int, _ filters: [PushFilter], within: Duration) async throws -> [Push] {
      guard count >= 0 else {
        throw PushpitError(.misuse, "count is a number of pushes, such as 2, and not \(count).")
      }
      let seen = try await Polling.last(within) {
        try await self.newest(count, filters)
      } until: {
        $0.count >= count
      }
      if seen.count == count { return seen }
      let which = filters.map { " \($0.name)=\($0.value.string ?? $0.value.description)" }.joined()
      let many = seen.count > count ? "\(seen.count) or more" : "\(seen.count)"
      throw PushpitError(
        .expectation,
        "\(count) pushes\(which) were expected within \(within.seconds) s, and there were \(many).\n"
          + (try await stories()))
    }

    /// The newest pushes, in pages: this many, and one more if there are more.
    private func newest(_ count: Int, _ filters: [PushFilter]) async throws -> [Push] {
      var query = (filters + [PushFilter("session", name)]).query(limit: min(count, 999) + 1)
      var found: [Push] = []
      while true {
        let page = try await api.get("/v1/pushes", query)
        found += Push.rows(page)
        query["cursor"] = page["next"]
        if found.count > count { return Array(found[...count]) }
        if page["next"].isNull { return found }
      }
    }

    /// Closes the session: its faults are deleted, and its expectations are evaluated. A second call changes nothing.
    @discardableResult
    public func close(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Verdict {
      if let verdict { return verdict }
      return try await at(sourceLocation) {
        let state = try await state()
        guard state["open"].bool == true else { throw over(state) }
        let verdict = Verdict(raw: try await api.post(path + "/close"))
        judged.withLock { $0 = verdict }
        return verdict
      }
    }

    /// An error about a session that was closed before its test was over: the verdict covers only a part of the test.
    private func over(_ state: JSON) -> PushpitError {
      // In UTC; later than now if its life was not over.
      let expiry = state["expiresAt"].string ?? "never"
      let isExpired = expiry.prefix(19) <= Date.now.formatted(.iso8601).prefix(19)
      let why = isExpired ? "it expired at \(expiry)" : "somebody else has closed it"
      let sentence =
        "The session \(name) is closed, and not by its test: \(why). Its phones may be in another session now."
      return PushpitError(status: 409, ["error": JSON(sentence), "code": "conflict", "field": "session"])
    }

    /// Closes the session, and deletes it from the server.
    public func forget(sourceLocation: SourceLocation = #_sourceLocation) async throws {
      try await at(sourceLocation) { try await api.delete(path) }
    }
  }
}
