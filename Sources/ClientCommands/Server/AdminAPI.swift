import Pushpit
import Synchronization
import Transport
import WireFormats

/// The admin API of a running server, as the program's own commands reach it.
package struct AdminAPI: Sendable {
  /// The address of the server, such as `http://127.0.0.1:2190`.
  package let url: String
  /// True once the server is known to be a Pushpit of this protocol; shared by all copies.
  private let identity: Identity

  private final class Identity: Sendable {
    let isKnown: Atomic<Bool>

    init(_ isKnown: Bool) { self.isKnown = Atomic(isKnown) }
  }

  package init(_ address: ServerAddress) {
    url = address.admin
    identity = Identity(address.line.map { Self.speaks($0) } ?? false)
  }

  /// - Parameter url: of a cell, for example.
  init(url: String) {
    self.url = Self.withoutSlash(url)
    identity = Identity(false)
  }

  /// Maximum size of an answer, in bytes. A page of 1,000 pushes with the largest payloads has less.
  private static let largestAnswer = 64 << 20

  package struct Answer: Sendable {
    package let status: Int
    /// As received.
    package let body: String
    /// Null if the body is not JSON.
    package let value: JSONValue

    /// The cursor of the next page of a list; nil on the last page.
    package var next: String? { value["next"]?.string }

    fileprivate init(_ reply: WebCall.Reply) {
      status = reply.status
      body = String(decoding: reply.body, as: UTF8.self)
      value = (try? JSONValue.parse(reply.body)) ?? .null
    }
  }

  /// A request; parts of the path and values of the query are encoded.
  package struct Order: Sendable {
    package var method = "GET"
    package var path: [String]
    package var query: [(name: String, value: String)] = []
    package var body: [UInt8] = []
    package var timeout: Duration = .seconds(10)
    /// The names of the flags that set parameters of the query, by these, for sentences of the server.
    package var flags: [String: String] = [:]
    /// True for an action, which a phone may be unable to do although the request is valid.
    package var mayBeImpossible = false

    package init(_ path: String...) { self.path = path }

    /// A POST request.
    package init(post path: [String], _ body: JSONValue) {
      self.path = path
      method = "POST"
      self.body = Array(body.text.utf8)
    }

    /// Path and query.
    var target: String {
      let target = path.map { "/" + PercentCoding.encode($0) }.joined()
      let query = query.map { "\(PercentCoding.encode($0.name))=\(PercentCoding.encode($0.value))" }
      return query.isEmpty ? target : target + "?" + query.joined(separator: "&")
    }
  }

  /// Sends a request.
  ///
  /// - Throws: `CommandFailure` with the server's sentence unless it answers 200 or 201, or with the address if no
  ///   Pushpit answers.
  package func perform(_ order: Order) throws(CommandFailure) -> Answer {
    try checkServer(within: order.timeout)
    let answer = try exchange(order)
    guard answer.status == 200 || answer.status == 201 else {
      throw refusal(answer, of: order)
    }
    guard answer.value != .null else {
      throw CommandFailure("\(url) did not answer with JSON: is something else listening there?", .noServer)
    }
    return answer
  }

  /// Checks once that the server is a Pushpit of this protocol. Any other server is neither read nor changed.
  func checkServer(within timeout: Duration = .seconds(10)) throws(CommandFailure) {
    guard !identity.isKnown.load(ordering: .relaxed) else { return }
    var order = Order("v1", "ready")
    order.timeout = timeout
    let answer = try exchange(order)
    // Such as for a host name that the server does not accept.
    if answer.status == 403, answer.value["error"]?.string != nil { throw refusal(answer) }
    guard answer.status == 200, answer.value["listeners"] != nil else {
      throw CommandFailure("\(url) does not answer like Pushpit: is something else listening there?", .noServer)
    }
    guard Self.speaks(answer.value) else {
      let number = answer.value["protocol"]?.integer.map { "protocol \($0)" } ?? "no protocol number"
      throw CommandFailure(
        "\(url) is a Pushpit with \(number), and this program has protocol \(ReadyLine.protocolNumber): use the pushpit"
          + " of the same version.", .noServer)
    }
    identity.isKnown.store(true, ordering: .relaxed)
  }

  /// The server's ready line; nil if none answers.
  func readyLine() -> JSONValue? {
    guard let answer = try? send(Order("v1", "ready")), answer.status == 200 else { return nil }
    return answer.value["listeners"] == nil ? nil : answer.value
  }

  /// The certificate authority that clients must trust, in PEM; nil if none answers.
  func authority() -> String? {
    guard let answer = try? send(Order("v1", "ca.pem")), answer.status == 200 else { return nil }
    return answer.body
  }

  /// The statuses of requests that are wrong in themselves.
  private static let invalid: Set<Int> = [400, 413, 415, 422]

  private static func speaks(_ line: JSONValue) -> Bool {
    line["protocol"]?.integer == Int64(ReadyLine.protocolNumber)
  }

  private func exchange(_ order: Order) throws(CommandFailure) -> Answer {
    do {
      return try send(order)
    } catch {
      throw noAnswer(error)
    }
  }

  func send(_ order: Order) throws(WebCall.Failure) -> Answer {
    var call = WebCall(order.method, url + order.target, version: .http1)
    call.timeout = order.timeout
    call.largestAnswer = Self.largestAnswer
    if !order.body.isEmpty {
      call.headers = [("content-type", "application/json")]
      call.body = order.body
    }
    return Answer(try call.perform())
  }

  /// Returns the reason why a request failed, in a sentence of the server if it sent one.
  func refusal(_ reply: WebCall.Reply) -> CommandFailure { refusal(Answer(reply)) }

  private func refusal(_ answer: Answer, of order: Order? = nil) -> CommandFailure {
    guard var sentence = answer.value["error"]?.string else {
      return CommandFailure("\(url) answered \(answer.status): is something else listening there?", .noServer)
    }
    if let key = answer.value["field"]?.string, let flag = order?.flags[key], sentence.hasPrefix(key + " ") {
      sentence = "--\(flag)" + sentence.dropFirst(key.count)
    }
    // A problem of the body has a path. Without one, a phone cannot do what a valid body asks for.
    let isImpossible = order?.mayBeImpossible == true && answer.status == 422 && answer.value["path"] == nil
    let isInvalid = Self.invalid.contains(answer.status) && !isImpossible
    return CommandFailure(TerminalText.clean(sentence), isInvalid ? .invalid : .no)
  }

  func noAnswer(_ failure: WebCall.Failure) -> CommandFailure {
    CommandFailure(
      "\(url) did not answer (\(failure)). `pushpit serve` starts a server; --admin or PUSHPIT_ADMIN names another.",
      .noServer)
  }

  static func withoutSlash(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }

  /// The local URL of a server that listens on all addresses.
  static func local(_ url: String) -> String {
    let scheme = "http://"
    return url.hasPrefix(scheme) ? scheme + StartupMessage.local(String(url.dropFirst(scheme.count))) : url
  }
}

/// Percent-encoding of everything but the unreserved characters of RFC 3986.
enum PercentCoding {
  static func encode(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        String(UnicodeScalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}
