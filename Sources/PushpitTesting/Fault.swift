import Synchronization

extension Pushpit {
  /// A fault that is set.
  public struct Fault: Sendable {
    public let name: String
    let session: String?
    let api: AdminClient

    private static let numbers = Atomic<Int>(0)
    /// Members of the fault itself; all other words are consequences, and belong to `then`.
    private static let beside: Set<String> = ["name", "when", "odds", "limit", "from", "until", "for"]

    /// Sets it for a session, or for everybody.
    static func set(_ words: [String: JSON], session: String?, api: AdminClient) async throws -> Fault {
      let number = numbers.add(1, ordering: .relaxed).newValue
      let name = words["name"]?.string ?? "fault \(number)"
      var order = words.filter { beside.contains($0.key) }
      order["name"] = words["name"] ?? JSON(name)
      let consequence = words.filter { $0.key != "then" && !beside.contains($0.key) }
      order["then"] = (words["then"] ?? [:]).adding(consequence)
      if let session { order["session"] = JSON(session) }
      try await api.post("/v1/faults", JSON(order))
      return Fault(name: name, session: session, api: api)
    }

    private var path: String { "/v1/faults/\(AdminClient.part(name))" }
    private var query: [String: JSON] { session.map { ["session": JSON($0)] } ?? [:] }

    /// The fault as the admin API shows it: `state`, `seen`, `struck` and its own words.
    public func state() async throws -> JSON { try await api.get(path, query) }

    /// The number of times that the fault has struck.
    public func struck() async throws -> Int { try await state()["struck"].int ?? 0 }

    /// Deletes it. It may be gone already, by its time or with its session.
    public func delete() async throws {
      do {
        try await api.delete(path, query)
      } catch let error as PushpitError where [.notFound, .sessionOver].contains(error.kind) {
      }
    }
  }
}
