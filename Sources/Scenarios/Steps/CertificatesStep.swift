import APNs
import Grammar
import Simulation
import Timeline

/// Revokes provider certificates for this run, or makes them valid again. The state folder does not change.
package struct CertificatesStep: StepActionKind {
  static let key = "certificates"
  static let type = ValueType.members([
    (
      "revoke",
      .text().meaning(
        "A certificate that is no longer valid, by the first \(SuspendedCertificates.fewestDigits) digits or more of"
          + " its fingerprint, or `all`.")
    ),
    ("add", .text().meaning("A revoked certificate that is valid from now on, named in the same way, or `all`.")),
  ]).meaning("Provider certificates that become valid or invalid.")

  /// The digits with which the fingerprint begins; empty for all.
  package let digits: String
  package let adds: Bool

  private var name: String { digits.isEmpty ? SuspendedCertificates.all : digits }
  package var words: String { digits.isEmpty ? "every certificate" : "the certificate \(digits)" }

  static func read(_ node: SourceNode, of step: Fields, _ names: ScenarioNames) throws(InputProblem) -> (Self, String) {
    let fields = try Fields(node, key, known: type.keys)
    switch (try digits("revoke", fields), try digits("add", fields)) {
    case (let digits?, nil):
      let step = Self(digits: digits, adds: false)
      return (step, "\(step.words) is revoked")
    case (nil, let digits?):
      let step = Self(digits: digits, adds: true)
      return (step, "\(step.words) is valid again")
    default:
      throw fields.problem(nil, "certificates must have either revoke or add, such as certificates: {revoke: all}.")
    }
  }

  private static func digits(_ member: String, _ fields: Fields) throws(InputProblem) -> String? {
    guard let name = try fields.text(member) else { return nil }
    if let digits = SuspendedCertificates.digits(of: name) { return digits }
    throw fields.problem(
      member,
      "\(member) must be all, or the first \(SuspendedCertificates.fewestDigits) hexadecimal digits or more of a"
        + " fingerprint, as `pushpit certs list` shows them.")
  }

  /// Rejects steps that change nothing, and those beyond the maximum number of changes.
  ///
  /// - Parameter digits: the digits of the certificate that a step names; empty for all.
  package static func checkChanges(_ steps: [Scenario.Step], digits: (Self) -> String) throws(InputProblem) {
    var suspended = SuspendedCertificates()
    for (at, place, action) in steps.moments(of: Self.self) {
      switch suspended.set(digits(action), isSuspended: !action.adds) {
      case .changed: break
      case .unchanged:
        let (state, word) = action.adds ? ("valid", "add") : ("revoked", "revoke")
        throw InputProblem(
          place, "\(action.words) is \(state) already at \(DurationText.write(at)), so \(word) is not possible.")
      case .tooMany:
        throw InputProblem(
          place,
          "\(SuspendedCertificates.most) certificates have changed by \(DurationText.write(at)), the maximum;"
            + " certificates: {add: all} makes room.")
      }
    }
  }

  package func begin(_ turn: StepTurn, in director: inout ScenarioDirector, _ simulator: inout Simulator) -> MomentRest?
  {
    director.order(adds ? .restoreCertificates(name) : .suspendCertificates(name), of: turn, in: &simulator)
    return nil
  }
}
