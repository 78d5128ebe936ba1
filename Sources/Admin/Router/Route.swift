import Simulation

/// A route of the admin API: a method, a path with placeholders, and a handler.
struct Route: Sendable {
  typealias Answer = AdminReply.Step

  private enum Part: Hashable, Sendable {
    case word(String)
    case place
  }

  let method: String
  /// As in the OpenAPI document: `/v1/devices/{id}`.
  let path: String
  /// Names of its query parameters.
  let parameters: [String]
  let summary: String
  let answer: Answer
  private let parts: [Part]

  init(
    _ method: String, _ path: String, summary: String, takes parameters: [String] = [], answer: @escaping Answer
  ) {
    self.method = method
    self.path = path
    self.parameters = parameters
    self.summary = summary
    self.answer = answer
    parts = path.split(separator: "/").map { $0.hasPrefix("{") ? .place : .word(String($0)) }
  }

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
}
