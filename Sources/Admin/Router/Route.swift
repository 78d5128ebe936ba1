import Grammar
import Simulation
import WireFormats

/// A route of the admin API: a method, a path with placeholders, a handler, and what the OpenAPI document says of it.
struct Route: Sendable {
  /// A chapter of the document.
  enum Tag: String, CaseIterable, Sendable {
    case about
    case fleet
    case ledger
    case faults
    case sessions
    case hunts
    case world

    var meaning: String {
      switch self {
      case .about: "The server itself."
      case .fleet: "Devices, their apps, tokens and Live Activities."
      case .ledger: "Pushes with their answers and explanations."
      case .faults: "What goes wrong."
      case .sessions: "One per test, so that parallel tests do not affect each other."
      case .hunts: "Searches for the smallest trouble that fails a test."
      case .world: "The clock, connections, and the rules of APNs."
      }
    }
  }

  private enum Part: Hashable, Sendable {
    case word(String)
    case place
  }

  let method: String
  /// As in the OpenAPI document: `/v1/devices/{id}`.
  let path: String
  /// The line of the front page, which begins in lower case.
  let summary: String
  let handler: AdminReply.Step
  private let id: String
  private let tag: Tag
  private let parts: [Part]
  private var meaning: String?
  private(set) var parameters: [RouteParameter] = []
  private(set) var body: RequestBody?
  private var examples: [RequestBody.Example] = []
  private var own: [Answer] = []

  /// - Parameters:
  ///   - line: method and path, such as `GET /v1/devices/{id}`.
  ///   - id: the name of the operation, for generated clients.
  init(_ line: String, id: String, tag: Tag, summary: String, answer handler: @escaping AdminReply.Step) {
    let words = line.split(separator: " ").map(String.init)
    method = words[0]
    path = words[1]
    self.id = id
    self.tag = tag
    self.summary = summary
    self.handler = handler
    parts = words[1].split(separator: "/").map { $0.hasPrefix("{") ? .place : .word(String($0)) }
  }

  // MARK: - Describing

  func meaning(_ text: String) -> Route {
    var route = self
    route.meaning = text
    return route
  }

  func takes(_ parameters: RouteParameter...) -> Route {
    var route = self
    route.parameters += parameters
    return route
  }

  /// A list with pages.
  func paged(by cursor: Parameter<[Int]> = Parameters.page) -> Route {
    var route = self
    route.parameters += Parameters.paging(cursor)
    return route
  }

  func body(_ body: RequestBody, examples: [RequestBody.Example] = []) -> Route {
    var route = self
    route.body = body
    route.examples = examples
    return route
  }

  /// - Parameter answers: those that do not follow from the method or the body.
  func answers(_ answers: Answer...) -> Route {
    var route = self
    route.own = answers
    return route
  }

  // MARK: - Reading

  /// Names of its query parameters.
  var queryNames: [String] { parameters.filter { $0.place == .query }.map(\.name) }

  /// The values of the path's placeholders; nil for another path.
  func captures(of segments: [String]) -> [String]? {
    guard segments.count == parts.count else { return nil }
    var captures: [String] = []
    for (part, segment) in zip(parts, segments) {
      switch part {
      case .word(let word): guard word == segment else { return nil }
      case .place:
        guard !segment.isEmpty else { return nil }
        captures.append(segment)
      }
    }
    return captures
  }

  // MARK: - Writing

  /// All answers, by status.
  var answers: [Answer] {
    var all = own + [.badRequest, .forbidden]
    if ["POST", "PUT"].contains(method) { all += [.tooLarge, .notJSON] }
    if body != nil, !own.contains(where: { $0.status == 422 }) { all.append(.notPossible) }
    return all.sorted { $0.status < $1.status }
  }

  /// The operation of the OpenAPI document.
  func json(_ document: inout OpenAPIDocument) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("operationId", .string(id)), .init("tags", [.string(tag.rawValue)]),
      .init("summary", .string(summary.prefix(1).uppercased() + summary.dropFirst())),
    ]
    if let meaning { members.append(.init("description", .string(meaning))) }
    var all: [JSONValue] = []
    for parameter in parameters { all.append(parameter.json(&document.schemas)) }
    if !all.isEmpty { members.append(.init("parameters", .array(all))) }
    if let body { members.append(.init("requestBody", body.json(&document.schemas, examples))) }
    var responses: [JSONValue.Member] = []
    for answer in answers { responses.append(.init("\(answer.status)", answer.json(&document))) }
    return .object(members + [.init("responses", .object(responses))])
  }
}
