import Grammar
import Timeline
import WireFormats

/// A fault of a whole listener, as long as it is in force.
package enum ListenerFault: FaultKind {
  case refuse
  case failHandshake
  case slowHandshake(Duration)
  case hang
  case certificate(CertificateFault)

  /// A certificate that a listener presents instead of the usual one.
  package enum CertificateFault: String, CaseIterable, Hashable, Sendable {
    /// Valid, but signed by the second CA of the state folder, as when Apple changes its root.
    case secondRoot
    case expired
    case wrongName
    /// Signed by a CA that nobody can trust.
    case untrusted
  }

  package static let word = "listener"
  package static let type = ValueType.words(choices(after: .zero).map(\.name))
  package static let details = [FaultMember.after]

  package var consequence: Fault.Consequence { .listener(self) }
}

extension ListenerFault {
  private static func choices(after delay: Duration) -> [(name: String, value: ListenerFault)] {
    [
      ("refuse", .refuse), ("failHandshake", .failHandshake), ("hang", .hang), ("slowHandshake", .slowHandshake(delay)),
    ] + CertificateFault.allCases.map { ($0.rawValue, .certificate($0)) }
  }

  package init(_ fields: Fields) throws(InputProblem) {
    self = try fields.neededChoice(Self.word, Self.choices(after: try fields.duration("after") ?? .seconds(5)))
    if case .slowHandshake = self { return }
    if fields.has("after") {
      throw fields.problem("after", "after is the delay of slowHandshake; it is not valid for this listener fault.")
    }
  }

  package func put(into object: inout ObjectWriter) {
    guard case .slowHandshake(let delay) = self else {
      return object.put(Self.word, Self.choices(after: .zero).first { $0.value == self }?.name)
    }
    object.put(Self.word, "slowHandshake")
    object.put("after", delay)
  }
}
