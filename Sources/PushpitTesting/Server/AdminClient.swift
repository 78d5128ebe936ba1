import Foundation
import Pushpit
import Synchronization
import Transport
import WireFormats

/// The admin API of one server: a request has one answer, or one error.
struct AdminClient: Sendable {
  static let patience: Duration = .seconds(30)
  /// The server waits for no more than five minutes.
  private static let longestWait: Duration = .seconds(60)

  let url: String
  let door: any AdminDoor
  /// The time that an answer may take.
  private let patience: Duration

  init(_ url: String, through door: any AdminDoor, patience: Duration = patience) {
    self.url = url
    self.door = door
    self.patience = patience
  }

  func get(_ path: String, _ query: [String: JSON] = [:]) async throws -> JSON {
    try await request(AdminCall("GET", path + Self.written(query), timeout: patience))
  }

  @discardableResult
  func post(_ path: String, _ body: JSON = [:]) async throws -> JSON {
    try await request(AdminCall("POST", path, body: body.bytes, timeout: patience))
  }

  /// Sends an order whose answer waits for something. The wait ends with its task.
  ///
  /// - Parameter timeout: nil for that of all calls.
  @discardableResult
  func wait(_ path: String, _ body: JSON, timeout: Duration? = nil) async throws -> JSON {
    let call = AdminCall("POST", path, body: body.bytes, timeout: timeout ?? patience)
    return try await request(call, endsWithTask: true)
  }

  func delete(_ path: String, _ query: [String: JSON] = [:]) async throws {
    _ = try await request(AdminCall("DELETE", path + Self.written(query), timeout: patience))
  }

  /// All rows of a list, page by page.
  func pages(_ path: String, rows: String, query: [String: JSON] = [:]) async throws -> [JSON] {
    var found: [JSON] = []
    var query = query.merging(["limit": 1000]) { given, _ in given }
    while true {
      let page = try await get(path, query)
      found += page[rows].array ?? []
      guard !page["next"].isNull else { return found }
      query["cursor"] = page["next"]
    }
  }

  /// Waits at the server until an expectation is true, and returns its result. A server that has stopped answering is
  /// noticed meanwhile.
  func verify(_ expectation: JSON, within: Duration) async throws -> JSON {
    let end = ContinuousClock.now + within * Polling.patience
    while true {
      let left = max(.zero, ContinuousClock.now.duration(to: end))
      let time = min(left, patience / 2, Self.longestWait)
      do {
        let answer = try await wait("/v1/verify", ["expect": [expectation], "within": time.json])
        if answer["passed"].bool == true || time == left { return answer["expectations"][0] }
      } catch let error as PushpitError where error.code == "too_many_waiting" {
        // No event tells that a place among the server's waiting clients is free.
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  /// Requests an answer that is not JSON.
  func text(_ path: String) async throws -> String {
    let call = AdminCall("GET", path, timeout: patience)
    let answer = try response(to: call, await end(of: call))
    guard answer.status == 200 else {
      throw PushpitError(.noServer, "\(url) answered GET \(path) with \(answer.status).")
    }
    return String(decoding: answer.body, as: UTF8.self)
  }

  private func request(_ call: AdminCall, endsWithTask: Bool = false) async throws -> JSON {
    if endsWithTask { try Task.checkCancellation() }
    return try json(of: try response(to: call, await end(of: call, endsWithTask: endsWithTask)), to: call)
  }

  /// Waits for the answer on the current thread. The door's own limit may need that thread: Swift's tasks share few.
  func ask(_ path: String, _ query: [String: JSON]) throws(PushpitError) -> JSON {
    let call = AdminCall("GET", path + Self.written(query), timeout: patience)
    let ended = DispatchSemaphore(value: 0)
    let client = WaitingClient()
    let outcome = Mutex<Result<HTTPResponse, AdminDoorFailure>>(.failure(.timedOut))
    door.begin(call, for: client) { end in
      outcome.withLock { $0 = end }
      ended.signal()
    }
    let longest = min(call.timeout, .seconds(86_400))
    if ended.wait(timeout: .now() + longest / .seconds(1)) == .timedOut { client.leave() }
    return try json(of: try response(to: call, outcome.withLock { $0 }), to: call)
  }

  /// - Parameter endsWithTask: whether the call is given up when its task is cancelled. Orders are not, because a
  ///   cancelled test must know what it has opened and set, and cleans up.
  private func end(
    of call: AdminCall, endsWithTask: Bool = false
  ) async throws -> Result<HTTPResponse, AdminDoorFailure> {
    let (client, end) = (WaitingClient(), CallEnd())
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiting in
        end.resume(waiting)
        door.begin(call, for: client) { end.come(.success($0)) }
      }
    } onCancel: {
      guard endsWithTask else { return }
      client.leave()
      end.come(.failure(CancellationError()))
    }
  }

  private func response(
    to call: AdminCall, _ end: Result<HTTPResponse, AdminDoorFailure>
  ) throws(PushpitError) -> HTTPResponse {
    do {
      return try end.get()
    } catch {
      throw PushpitError(.noServer, sentence(for: error, of: call))
    }
  }

  private func sentence(for failure: AdminDoorFailure, of call: AdminCall) -> String {
    switch failure {
    case .stopped: "The server at \(url) was stopped."
    case .timedOut: "The server at \(url) did not answer \(call.name) in \(call.timeout.seconds) s."
    case .unreachable(let why): "No server answers at \(url) (\(why)); is it still running?"
    }
  }

  private func json(of response: HTTPResponse, to call: AdminCall) throws(PushpitError) -> JSON {
    guard let answer = try? JSONValue.parse(response.body), answer.members != nil else {
      throw PushpitError(
        .noServer, "\(url) is not Pushpit: it answered \(call.name) with \(response.status) and no JSON.")
    }
    guard response.status < 400 else { throw PushpitError(status: response.status, JSON(value: answer)) }
    return JSON(value: answer)
  }

  private static func written(_ query: [String: JSON]) -> String {
    let pairs = query.sorted { $0.key < $1.key }.compactMap { name, value -> String? in
      value.isNull ? nil : part(name) + "=" + part(value.string ?? value.description)
    }
    return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
  }

  /// RFC 3986's unreserved characters.
  private static let unreserved = CharacterSet(
    charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")

  /// A name as one part of a path.
  static func part(_ name: String) -> String {
    name.addingPercentEncoding(withAllowedCharacters: unreserved) ?? name
  }
}

extension JSON {
  fileprivate var bytes: [UInt8] { Array(description.utf8) }
}

extension AdminCall {
  /// For sentences.
  fileprivate var name: String { "\(method) \(target.prefix { $0 != "?" })" }
}

extension Duration {
  /// In seconds, as people write it.
  var seconds: String {
    let (seconds, attoseconds) = components
    let nanoseconds = attoseconds / 1_000_000_000
    guard nanoseconds != 0 else { return "\(seconds)" }
    // Of a negative duration, both are negative.
    let digits = String(abs(nanoseconds) + 1_000_000_000).dropFirst().reversed().drop { $0 == "0" }.reversed()
    return "\(self < .zero ? "-" : "")\(seconds.magnitude).\(String(digits))"
  }
}
