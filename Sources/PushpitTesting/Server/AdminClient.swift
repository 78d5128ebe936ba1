import Foundation
import Pushpit
import Transport
import WireFormats

/// The admin API of one server: a request has one answer, or one error.
struct AdminClient: Sendable {
  static let patience: Duration = .seconds(30)

  let url: String
  private let server: Server

  init(_ ready: ReadyLine, of server: Server) {
    url = ready.admin
    self.server = server
  }

  func get(_ path: String, _ query: [String: JSON] = [:]) async throws -> JSON {
    try await request("GET", path, query)
  }

  @discardableResult
  func post(_ path: String, _ body: JSON = [:], timeout: Duration = patience) async throws -> JSON {
    try await request("POST", path, body: body, timeout: timeout)
  }

  func delete(_ path: String, _ query: [String: JSON] = [:]) async throws {
    _ = try await request("DELETE", path, query)
  }

  /// All rows of a list, page by page.
  func pages(_ path: String, _ rows: String, _ query: [String: JSON] = [:]) async throws -> [JSON] {
    var found: [JSON] = []
    var query = query.merging(["limit": 1000]) { given, _ in given }
    while true {
      let page = try await get(path, query)
      found += page[rows].array ?? []
      guard !page["next"].isNull else { return found }
      query["cursor"] = page["next"]
    }
  }

  private func request(
    _ method: String, _ path: String, _ query: [String: JSON] = [:], body: JSON? = nil, timeout: Duration = patience
  ) async throws -> JSON {
    let answer = await BlockingCall.run { Result { try ask(method, path, query, body, timeout) } }
    return try answer.get()
  }

  /// Waits for the answer on the current thread.
  func ask(
    _ method: String, _ path: String, _ query: [String: JSON] = [:], _ body: JSON? = nil, _ timeout: Duration
  ) throws(PushpitError) -> JSON {
    // Another server may have the port by now.
    guard server.ready != nil else { throw PushpitError(.noServer, "The server at \(url) was stopped.") }
    var call = WebCall(method, url + path + Self.written(query), version: .http1)
    call.timeout = timeout
    if let body {
      call.headers = [("content-type", "application/json")]
      call.body = Array(body.description.utf8)
    }
    let reply: WebCall.Reply
    do {
      reply = try call.perform()
    } catch {
      throw gone(error, "\(method) \(path)", timeout)
    }
    guard let answer = try? JSONValue.parse(reply.body), answer.members != nil else {
      throw PushpitError(.noServer, "\(url) answered \(method) \(path) with \(reply.status) and no JSON.")
    }
    guard reply.status < 400 else { throw PushpitError(status: reply.status, JSON(value: answer)) }
    return JSON(value: answer)
  }

  private func gone(_ failure: WebCall.Failure, _ asked: String, _ timeout: Duration) -> PushpitError {
    let sentence =
      if server.ready == nil {
        "The server at \(url) was stopped."
      } else if failure.kind == .timedOut {
        "The server at \(url) did not answer \(asked) in \(timeout.seconds) s."
      } else {
        "No server answers at \(url) (\(failure))."
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

/// Runs what blocks on a thread of its own, because Swift's tasks share few threads.
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
