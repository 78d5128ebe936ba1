import Foundation
import Pushpit
import Transport
import WireFormats

/// The admin API of one server: a request has one answer, or one error.
struct AdminClient: Sendable {
  static let patience: Duration = .seconds(30)
  /// The server waits for no more than five minutes.
  private static let longestWait: Duration = .seconds(60)

  let url: String
  /// Nil if the server does not run in this process.
  private let server: Server?
  /// The time that an answer may take.
  private let patience: Duration

  init(_ url: String, of server: Server? = nil, patience: Duration = patience) {
    self.url = url
    self.server = server
    self.patience = patience
  }

  func get(_ path: String, _ query: [String: JSON] = [:]) async throws -> JSON {
    try await request("GET", path, query: query)
  }

  @discardableResult
  func post(_ path: String, _ body: JSON = [:], timeout: Duration? = nil) async throws -> JSON {
    try await request("POST", path, body: body, timeout: timeout)
  }

  func delete(_ path: String, _ query: [String: JSON] = [:]) async throws {
    _ = try await request("DELETE", path, query: query)
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
    let end = ContinuousClock.now + within
    while true {
      let left = max(.zero, ContinuousClock.now.duration(to: end))
      let time = min(left, patience / 2, Self.longestWait)
      do {
        let answer = try await post("/v1/verify", ["expect": [expectation], "within": time.json])
        if answer["passed"].bool == true || time == left { return answer["expectations"][0] }
      } catch let error as PushpitError where error.code == "too_many_waiting" {
        // No event tells that a place among the server's waiting clients is free.
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  /// Requests an answer that is not JSON.
  func text(_ path: String) async throws -> String {
    let reply = await BlockingCall.run {
      Result { try exchange("GET", path, query: [:], body: nil, timeout: patience) }
    }
    let answer = try reply.get()
    guard answer.status == 200 else {
      throw PushpitError(.noServer, "\(url) answered GET \(path) with \(answer.status).")
    }
    return String(decoding: answer.body, as: UTF8.self)
  }

  private func request(
    _ method: String, _ path: String, query: [String: JSON] = [:], body: JSON? = nil, timeout: Duration? = nil
  ) async throws -> JSON {
    let answer = await BlockingCall.run { Result { try ask(method, path, query: query, body: body, timeout: timeout) } }
    return try answer.get()
  }

  /// Waits for the answer on the current thread.
  func ask(
    _ method: String, _ path: String, query: [String: JSON] = [:], body: JSON? = nil, timeout: Duration? = nil
  ) throws(PushpitError) -> JSON {
    let reply = try exchange(method, path, query: query, body: body, timeout: timeout ?? patience)
    guard let answer = try? JSONValue.parse(reply.body), answer.members != nil else {
      throw PushpitError(
        .noServer, "\(url) is not Pushpit: it answered \(method) \(path) with \(reply.status) and no JSON.")
    }
    guard reply.status < 400 else { throw PushpitError(status: reply.status, JSON(value: answer)) }
    return JSON(value: answer)
  }

  private func exchange(
    _ method: String, _ path: String, query: [String: JSON], body: JSON?, timeout: Duration
  ) throws(PushpitError) -> WebCall.Reply {
    // Another server may have the port by now.
    guard !isStopped else { throw PushpitError(.noServer, "The server at \(url) was stopped.") }
    var call = WebCall(method, url + path + Self.written(query), version: .http1)
    call.timeout = timeout
    if let body {
      call.headers = [("content-type", "application/json")]
      call.body = Array(body.description.utf8)
    }
    do {
      return try call.perform()
    } catch {
      throw gone(error, asked: "\(method) \(path)", timeout: timeout)
    }
  }

  private var isStopped: Bool { server.map { $0.ready == nil } ?? false }

  private func gone(_ failure: WebCall.Failure, asked: String, timeout: Duration) -> PushpitError {
    let sentence =
      if isStopped {
        "The server at \(url) was stopped."
      } else if failure.kind == .timedOut {
        "The server at \(url) did not answer \(asked) in \(timeout.seconds) s."
      } else {
        "No server answers at \(url) (\(failure)); is it still running?"
      }
    return PushpitError(.noServer, sentence)
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

/// Runs blocking code on a separate thread, because Swift's tasks share few threads.
enum BlockingCall {
  static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { done in
      if let thread = LoopThread({ done.resume(returning: body()) }) { return thread.detach() }
      // The system allows no more threads.
      done.resume(returning: body())
    }
  }
}

extension Duration {
  /// In seconds, as people write it.
  var seconds: String {
    let seconds = self / .seconds(1)
    return Int(exactly: seconds).map { "\($0)" } ?? "\(seconds)"
  }
}
