import APNs
import Devices
import Grammar
import Simulation
import Timeline
import WireFormats

/// Reads `then` of a fault: what goes wrong.
package enum ConsequenceReader {
  package static let names = FaultKinds.all.map { $0.word }

  /// Every key that `then` may have.
  package static let members = type.keys

  /// The type, for the published schema: the words first.
  package static let type = ValueType.members(
    FaultKinds.all.reduce(into: FaultKinds.all.map { $0.types[0] }) { all, kind in
      all += kind.types.filter { detail in !all.contains { $0.name == detail.name } }
    }, oneOf: names)

  static func read(_ node: SourceNode) throws(InputProblem) -> Fault.Consequence {
    let fields = try Fields(node, "then", known: members)
    let named = FaultKinds.all.filter { fields.has($0.word) }
    guard let kind = named.first, named.count == 1 else {
      throw fields.problem(
        "then",
        named.isEmpty
          ? "then must name one consequence: \(Wording.list(names, "or"))."
          : "then must name only one consequence; this one names \(Wording.list(named.map { $0.word })).")
    }
    try fields.takesOnly(kind.keys, because: kind.word)
    return try kind.read(fields)
  }
}
