import Simulation
import WireFormats

/// Why a request cannot be answered as it was asked: the one shape of all errors.
package struct AdminProblem: Error, Hashable, Sendable {
  package let status: Int
  package let sentence: String
  /// The parameter, member or header that is wrong, where there is one.
  package let field: String?
  /// Methods that the path does take, for a 405.
  package let allow: [String]

  package init(_ status: Int, _ sentence: String, field: String? = nil, allow: [String] = []) {
    self.status = status
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

  static func wrapping<Result>(_ body: () throws(CommandProblem) -> Result) throws(AdminProblem) -> Result {
    do {
      return try body()
    } catch {
      throw AdminProblem(error)
    }
  }

  package var response: AdminResponse {
    var members = [JSONValue.Member("error", .string(sentence))]
    if let field { members.append(.init("field", .string(field))) }
    let headers = allow.isEmpty ? [] : [AdminResponse.Header("allow", allow.joined(separator: ", "))]
    return .json(.object(members), status: status, headers: headers)
  }
}
