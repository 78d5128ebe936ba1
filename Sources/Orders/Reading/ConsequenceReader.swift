import APNs
import Devices
import Grammar
import Simulation
import Timeline
import WireFormats

/// Reads `then` of a fault: what goes wrong.
package enum ConsequenceReader {
  /// The word of each kind of fault, with its further members.
  package static let table: [(name: String, details: [String])] = FaultKinds.all.map { kind in
    (kind.word, kind.details.map(\.name))
  }

  package static let names = FaultKinds.all.map { $0.word }

  /// Every key that `then` may have.
  package static let members = type.keys

  /// The type, for the published schema: the words first.
  package static let type = ValueType.members(
    FaultKinds.all.reduce(into: FaultKinds.all.map { ($0.word, $0.type) }) { all, kind in
      for detail in kind.details where !all.contains(where: { $0.0 == detail.name }) {
        all.append((detail.name, detail.type))
      }
    })

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
    try fields.takesOnly([kind.word] + kind.details.map(\.name), because: kind.word)
    if case .isTrue = kind.type { try requireTrue(fields, kind.word) }
    return try kind.init(fields).consequence
  }

  /// A flag that is either true or missing.
  private static func requireTrue(_ fields: Fields, _ name: String) throws(InputProblem) {
    guard try fields.truth(name) == true else {
      throw fields.problem(name, "\(name) must be true; to delete the fault, use DELETE.")
    }
  }
}
