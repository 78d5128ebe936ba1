import Grammar
import Simulation
import WireFormats

/// Why a request cannot be answered as it was asked: the one shape of all errors.
package struct AdminProblem: Error, Hashable, Sendable {
  package let status: Int
  /// A stable name of what is wrong, for programs.
  package let code: String
  package let sentence: String
  /// The parameter, member or header that is wrong, where there is one.
  package let field: String?
  /// Where that is within the body, such as `where.devices`; nil where there is no such path.
  package let path: String?
  /// Methods that the path does take, for a 405.
  package let allow: [String]

  package init(_ status: Int, _ sentence: String, field: String? = nil, allow: [String] = []) {
    self.init(status, Self.code(status), sentence, field: field, allow: allow)
  }

  private init(
    _ status: Int, _ code: String, _ sentence: String, field: String?, path: String? = nil, allow: [String] = []
  ) {
    self.status = status
    self.code = code
    self.path = path
    self.sentence = sentence
    self.field = field
    self.allow = allow
  }

  init(_ problem: CommandProblem) {
    let status =
      switch problem.kind {
      case .unknown: 404
      case .conflict: 409
      case .gone: 410
      case .senseless: 422
      }
    self.init(status, problem.sentence, field: problem.field)
  }

  init(_ problem: InputProblem) {
    let field = problem.field.flatMap { $0.isEmpty ? nil : $0 }
    self.init(
      problem.code == .notFound ? 404 : 422, problem.code.rawValue, problem.sentence, field: field,
      path: problem.place.isEmpty ? field : problem.place)
  }

  /// Something is wrong with a query: what there is depends on no state, so it is never 404.
  init(query problem: InputProblem) {
    self.init(400, problem.code.rawValue, problem.sentence, field: problem.field)
  }

  /// The code of an error that is of the request as a whole.
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

  package var response: AdminResponse {
    var members = [JSONValue.Member("error", .string(sentence)), .init("code", .string(code))]
    if let field { members.append(.init("field", .string(field))) }
    if let path { members.append(.init("path", .string(path))) }
    let headers = allow.isEmpty ? [] : [AdminResponse.Header("allow", allow.joined(separator: ", "))]
    return .json(.object(members), status: status, headers: headers)
  }
}
