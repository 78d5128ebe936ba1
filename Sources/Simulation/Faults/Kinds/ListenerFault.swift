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

  package static let shape = Shape<Self>(members: [
    .key(
      "listener", as: .words(choices(after: .zero).map(\.name)), "What clients meet that connect to a listener.",
      isNeeded: true
    ) { (fields, fault) throws(InputProblem) in
      fault = try fields.neededChoice("listener", choices(after: try fields.duration("after") ?? .seconds(5)))
      if case .slowHandshake = fault { return }
      if fields.has("after") {
        throw fields.problem("after", "after is the delay of slowHandshake; it is not valid for this listener fault.")
      }
    } write: { fault in
      if case .slowHandshake = fault { return "slowHandshake" }
      return JSONValue(choices(after: .zero).first { $0.value == fault }?.name)
    },
    .key("after", as: .duration, "The delay of `slowHandshake`. Default: 5s.") {
      if case .slowHandshake(let delay) = $0 { FieldForm<Duration>.duration.write(delay) } else { Optional.none }
    },
  ])

  package init() { self = .refuse }

  package var consequence: Fault.Consequence { .listener(self) }

  private static func choices(after delay: Duration) -> [(name: String, value: ListenerFault)] {
    [
      ("refuse", .refuse), ("failHandshake", .failHandshake), ("hang", .hang), ("slowHandshake", .slowHandshake(delay)),
    ] + CertificateFault.allCases.map { ($0.rawValue, .certificate($0)) }
  }
}
