import Pushpit
import Transport
import WireFormats

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The admin API of a running server, as the program's own commands reach it.
package struct AdminAPI: Sendable {
  /// Such as `http://127.0.0.1:2190`.
  package let url: String
  /// Whether the URL was given by the caller or by the environment.
  package let isGiven: Bool
  private let folder: StateFolder
  /// The server's note in the state folder, used if nothing else gives an address.
  let note: JSONValue?

  /// The given URL, or else that of the environment's port, of the server of this state folder, or the default port.
  package init(_ folder: StateFolder, url: String? = nil) {
    self.folder = folder
    note = ReadyFile.noted(in: folder)
    let port = getenv("PUSHPIT_ADMIN_PORT").flatMap { Int(String(cString: $0)) }
    let given = url.map(Self.withoutSlash) ?? port.map { "http://127.0.0.1:\($0)" }
    isGiven = given != nil
    self.url = given ?? note?["admin"]?.string.map(Self.local) ?? "http://127.0.0.1:2190"
  }

  /// The admin API of the server that uses the state folder; nil if the folder names none.
  package init?(noted folder: StateFolder) {
    guard let noted = ReadyFile.noted(in: folder)?["admin"]?.string else { return nil }
    self.init(folder, url: Self.local(noted))
  }

  /// Maximum size of an answer, in bytes. A page of 1,000 pushes with the largest payloads has less.
  private static let largestAnswer = 64 << 20

  package struct Answer: Sendable {
    package let status: Int
    /// As received.
    package let body: String
    /// Null if the body is not JSON.
    package let value: JSONValue

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
  /// - Throws: `StartFailure` with the server's sentence unless it answers 200 or 201, or with the address if nothing
  ///   answers.
  package func perform(_ order: Order) throws(StartFailure) -> Answer {
    let answer: Answer
    do {
      answer = try send(order)
    } catch {
      throw noAnswer(error)
    }
    guard answer.status == 200 || answer.status == 201 else { throw StartFailure(refusal(answer)) }
    guard answer.value != .null else {
      throw StartFailure("\(url) did not answer with JSON: is something else listening there?")
    }
    return answer
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

  /// Why a request failed, in a sentence of the server if it sent one.
  func refusal(_ reply: WebCall.Reply) -> String { refusal(Answer(reply)) }

  private func refusal(_ answer: Answer) -> String {
    answer.value["error"]?.string.map { TerminalText.clean($0) } ?? "\(url) answered \(answer.status)."
  }

  func noAnswer(_ failure: WebCall.Failure) -> StartFailure {
    StartFailure(
      "\(url) did not answer (\(failure)). `pushpit serve` starts a server; --admin or PUSHPIT_ADMIN_PORT names"
        + " another.\(whereFrom)")
  }

  /// Further information about a server that does not answer.
  var whereFrom: String {
    guard note?["admin"]?.string.map(Self.local) == url else { return "" }
    return " \(folder.readyPath) names a server there; the file was left behind by a killed server."
  }

  static func withoutSlash(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }

  /// The local URL of a server that listens on all addresses.
  static func local(_ url: String) -> String {
    let scheme = "http://"
    return url.hasPrefix(scheme) ? scheme + StartupMessage.local(String(url.dropFirst(scheme.count))) : url
  }
}

/// Percent-encoding of everything but the unreserved characters of RFC 3986.
private enum PercentCoding {
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
