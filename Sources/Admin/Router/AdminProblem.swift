import Grammar
import Simulation
import WireFormats

/// The reason why a request was rejected, in the one format of all errors.
package struct AdminProblem: Error, Hashable, Sendable {
  package let status: Int
  /// A stable name of the problem, for programs.
  package let code: String
  package let sentence: String
  /// The invalid parameter, member or header, if there is one.
  package let field: String?
  /// The path within the body, such as `where.devices`, if the problem is in the body.
  package let path: String?
  /// Methods that the path supports, for a 405.
  package let allow: [String]

  package init(_ status: Int, _ sentence: String, field: String? = nil, allow: [String] = []) {
    self.init(status, code: Self.code(status), sentence, field: field, allow: allow)
  }

  private init(
    _ status: Int, code: String, _ sentence: String, field: String?, path: String? = nil, allow: [String] = []
  ) {
    self.status = status
    self.code = code
    self.path = path
    self.sentence = sentence
    self.field = field
    self.allow = allow
  }

  /// The maximum number of viewers is reached.
  package static func tooManyViewers(_ most: Int) -> AdminProblem {
    AdminProblem(
      503, code: "too_many_viewers",
      "\(most) clients already read a stream of events or tokens; close a page or end a `pushpit tail`, or use GET"
        + " /v1/pushes or GET /v1/tokens, which have pages.",
      field: nil)
  }

  /// The maximum number of clients that wait for expectations is reached.
  package static func tooManyWaiting(_ most: Int) -> AdminProblem {
    AdminProblem(
      503, code: "too_many_waiting",
      "\(most) clients already wait for expectations, the most at once; ask again later, or leave within out.",
      field: nil)
  }

  /// More work than the server does at a time.
  package static func tooManyOrders(_ most: Int) -> AdminProblem {
    AdminProblem(
      503, "\(most) requests that take long already wait for each other; send this one again later.")
  }

  /// The server stops. It has not begun the request, or not finished it: a session may be closed by then.
  package static let stopping = AdminProblem(503, "The server is stopping; it has not finished this.")

  /// A stream of events or tokens, asked for without a connection that could be closed.
  package static let needsHTTP = AdminProblem(
    501, "This answer is sent part by part, which needs HTTP; send the request to the URL of the admin API.")

  init(_ problem: CommandProblem) {
    let status =
      switch problem.kind {
      case .unknown: 404
      case .conflict: 409
      case .gone: 410
      case .impossible: 422
      case .busy: 503
      case .failed: 500
      }
    self.init(status, problem.sentence, field: status < 500 ? problem.field : nil)
  }

  init(_ problem: InputProblem) {
    let field = problem.field.flatMap { $0.isEmpty ? nil : $0 }
    self.init(
      problem.code == .notFound ? 404 : 422, code: problem.code.rawValue, problem.sentence, field: field,
      path: problem.place.isEmpty ? field : problem.place)
  }

  /// A problem of a query. Never 404, because no object is named there.
  init(query problem: InputProblem) {
    self.init(400, code: problem.code.rawValue, problem.sentence, field: problem.field)
  }

  /// The code of an error about the request as a whole.
  private static func code(_ status: Int) -> String {
    switch status {
    case 400: "bad_request"
    case 403: "forbidden"
    case 404: InputProblem.Code.notFound.rawValue
    case 405: "method_not_allowed"
    case 409: "conflict"
    case 410: "gone"
    case 413: "too_large"
    case 415: "unsupported_media_type"
    case 422: InputProblem.Code.invalidValue.rawValue
    case 501: "not_implemented"
    case 503: "unavailable"
    default: "error"
    }
  }

  static func wrapping<Result>(_ body: () throws(CommandProblem) -> Result) throws(AdminProblem) -> Result {
    do {
      return try body()
    } catch {
      throw AdminProblem(error)
    }
  }

  /// Answers a problem of input that has been read and is now compared with the world.
  static func checking<Result>(_ body: () throws(InputProblem) -> Result) throws(AdminProblem) -> Result {
    do {
      return try body()
    } catch {
      throw AdminProblem(error)
    }
  }

  static let shape = Shape<AdminProblem>(
    "Error",
    members: [
      .init("error", .string, meaning: "A sentence: what is wrong, and what is valid.") { .string($0.sentence) },
      .init("code", .words(codes), meaning: "A stable name of what is wrong, for programs.") { .string($0.code) },
      .maybe("field", .string, meaning: "The invalid parameter, member or header.") { $0.field.map { .string($0) } },
      .maybe("path", .string, meaning: "Its path within the body, such as `where.devices`.") {
        $0.path.map { .string($0) }
      },
    ])

  private static let codes =
    InputProblem.Code.allCases.map(\.rawValue)
    + [400, 403, 405, 409, 410, 413, 415, 501, 503, 500].map(code) + ["too_many_viewers", "too_many_waiting"]

  package var response: AdminResponse {
    let headers = allow.isEmpty ? [] : [AdminResponse.Header("allow", allow.joined(separator: ", "))]
    return .json(Self.shape.json(self), status: status, headers: headers)
  }
}
