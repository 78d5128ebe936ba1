import Timeline
import WireFormats

extension Share {
  /// Reads a share that a body has as a number or as text.
  init(_ value: JSONValue, named name: String) throws(AdminProblem) {
    guard let share = value.string.flatMap({ Share($0) }) ?? value.number.flatMap({ Share($0) }) else {
      throw AdminProblem(422, "\(name) is \(Share.wanted).", field: name)
    }
    self = share
  }
}
