/// Why a profile's text declares no schema.
package struct SchemaProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where in the schema's own text, such as `properties.team.properties.name`; empty for all of it.
  package private(set) var path = ContentPath()
  /// What would be right, in a sentence.
  package let sentence: String

  init(_ sentence: String) { self.sentence = sentence }

  func below(_ step: ContentPath.Step) -> SchemaProblem {
    var problem = self
    problem.path.prepend(step)
    return problem
  }

  package var description: String {
    let place = path.text(from: "")
    return place.isEmpty ? sentence : "\(place): \(sentence)"
  }
}
