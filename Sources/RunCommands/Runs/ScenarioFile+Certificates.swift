import Grammar
import Pushpit
import ScenarioFiles
import Scenarios

extension ScenarioFile {
  /// Rejects steps with certificates that the state folder does not have, and those that change none.
  func checkCertificates() throws {
    let steps = scenario.steps
    let named = steps.compactMap { step in
      (step.action as? CertificatesStep).flatMap { $0.digits.isEmpty ? nil : (place: step.place, digits: $0.digits) }
    }
    guard !named.isEmpty else { return }
    let registry = try StartFailure.wrapping { () throws(ProviderCertificateProblem) in
      try ProviderCertificateRegistry(StateFolder.of(settings))
    }
    var fingerprints = ["": ""]
    for (place, digits) in named where fingerprints[digits] == nil {
      let found = registry.entries.filter { $0.fingerprint.hasPrefix(digits) }
      guard let entry = found.first else {
        throw InputProblem(
          place, "the state folder has no certificate \(digits); `pushpit certs list` lists them.")
      }
      guard found.count == 1 else {
        throw InputProblem(place, "\(digits) matches \(found.count) certificates; use more digits.")
      }
      guard !entry.isRevoked, !entry.isExpired else {
        let why = entry.isRevoked ? "is revoked in the state folder" : "has expired"
        throw InputProblem(
          place, "the certificate \(digits) \(why), so a step cannot change it; `pushpit certs provider` makes another."
        )
      }
      fingerprints[digits] = entry.fingerprint
    }
    // Different numbers of digits may name the same certificate.
    try CertificatesStep.checkChanges(steps) { fingerprints[$0.digits] ?? $0.digits }
  }
}
