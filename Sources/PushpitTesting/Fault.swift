import Synchronization
import Testing

extension Pushpit {
  /// A fault that is set.
  public struct Fault: Sendable {
    public let name: String
    let session: String?
    let api: AdminClient

    private static let numbers = Atomic<Int>(0)

    /// Sets a fault for a session, or for everybody.
    static func set(_ order: FaultOrder, session: String?, api: AdminClient) async throws -> Fault {
      let number = numbers.add(1, ordering: .relaxed).newValue
      let name = order.json["name"].string ?? "fault \(number)"
      try await api.post("/v1/faults", order.json.adding(members: ["name": name, "session": session]))
      return Fault(name: name, session: session, api: api)
    }

    private var path: String { "/v1/faults/\(AdminClient.part(name))" }
    private var query: [String: JSON] { session.map { ["session": JSON($0)] } ?? [:] }

    /// The fault as the admin API shows it: `state`, `seen`, `struck` and its own words.
    public func state(sourceLocation: SourceLocation = #_sourceLocation) async throws -> JSON {
      try await at(sourceLocation) { try await api.get(path, query) }
    }

    /// The number of times that the fault has struck.
    public func struck(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Int {
      try await state(sourceLocation: sourceLocation)["struck"].int ?? 0
    }

    /// Deletes the fault, which may be gone already: by its time, or with its session.
    public func delete(sourceLocation: SourceLocation = #_sourceLocation) async throws {
      do {
        try await at(sourceLocation) { try await api.delete(path, query) }
      } catch let error as PushpitError where [.notFound, .sessionOver].contains(error.kind) {
      }
    }

    /// Deletes the fault after `body`.
    func during<Value>(
      at place: SourceLocation, isolation: isolated (any Actor)? = #isolation,
      _ body: (Fault) async throws -> Value
    ) async throws -> Value {
      let value: Value
      do {
        value = try await body(self)
      } catch {
        try? await delete()
        throw error
      }
      try await delete(sourceLocation: place)
      return value
    }
  }

  func set(_ order: FaultOrder, at place: SourceLocation) async throws -> Fault {
    try await at(place) { try await Fault.set(order, session: nil, api: api) }
  }
}

extension Pushpit.Session {
  func set(_ order: Pushpit.FaultOrder, at place: SourceLocation) async throws -> Pushpit.Fault {
    try await at(place) { try await Pushpit.Fault.set(order, session: name, api: pushpit.api) }
  }
}
