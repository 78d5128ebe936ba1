import Synchronization
import Timeline

/// The hunts of clients. They stand beside the world, which they do not change, and have a separate lock: what to play
/// next is decided while pushes are served.
final class HuntRegistry: Sendable {
  static let most = 64
  /// A hunt whose client was not heard of for that long is deleted when another one needs its place.
  private static let patience: Duration = .seconds(3600)

  private struct State {
    /// In the order of opening.
    var hunts: [TestHunt] = []
    var opened = 0
  }

  private let state = Mutex(State())

  func open(_ order: HuntOrder, at wall: Instant) throws(AdminProblem) -> TestHunt {
    let opened: TestHunt? = state.withLock { state in
      state.hunts.removeAll { $0.heard.advanced(by: Self.patience) < wall }
      guard state.hunts.count < Self.most else { return nil }
      state.opened += 1
      let hunt = TestHunt("h\(state.opened)", order, at: wall)
      state.hunts.append(hunt)
      return hunt
    }
    guard let opened else {
      throw AdminProblem(
        503,
        "\(Self.most) hunts are open, the most at once: delete one, or wait; after an hour without a request, a"
          + " hunt gives way.")
    }
    return opened
  }

  func hunt(_ id: String) throws(AdminProblem) -> TestHunt {
    try change(id, at: nil) { (hunt) throws(AdminProblem) in hunt }
  }

  /// Changes a hunt.
  ///
  /// - Parameter wall: the machine's time, at which its client is heard of; nil if it only looks.
  func change<Value: Sendable>(
    _ id: String, at wall: Instant?, _ body: (inout TestHunt) throws(AdminProblem) -> Value
  ) throws(AdminProblem) -> Value {
    let result: Result<Value, AdminProblem>? = state.withLock { state in
      guard let place = state.hunts.firstIndex(where: { $0.id == id }) else { return nil }
      if let wall { state.hunts[place].heard = wall }
      do throws(AdminProblem) {
        return .success(try body(&state.hunts[place]))
      } catch {
        return .failure(error)
      }
    }
    guard let result else {
      throw AdminProblem(
        404, "There is no hunt \(id); it was deleted, or gave way to another one, or the server began anew.",
        field: "id")
    }
    return try result.get()
  }

  func remove(_ id: String) throws(AdminProblem) {
    _ = try hunt(id)
    state.withLock { state in state.hunts.removeAll { $0.id == id } }
  }

  func removeAll() { state.withLock { $0.hunts = [] } }
}
