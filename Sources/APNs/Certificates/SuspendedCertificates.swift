/// The certificates that a scenario has revoked for its own run, although the state folder lists them as valid.
package struct SuspendedCertificates: Hashable, Sendable {
  /// A change of every certificate whose fingerprint begins with these digits.
  private struct Change: Hashable, Sendable {
    let digits: String
    let isSuspended: Bool
  }

  package enum Outcome: Hashable, Sendable {
    case changed
    /// The certificates are all revoked already, or all valid.
    case unchanged
    case tooMany
  }

  /// The name of every certificate.
  package static let all = "all"
  /// Minimum number of digits of a fingerprint that name a certificate, as for `pushpit certs revoke`.
  package static let fewestDigits = 6
  /// Maximum number of changes that are stored.
  package static let most = 1_000

  /// The last change of a certificate applies. None is covered by a later one.
  private var changes: [Change] = []

  package init() {}

  package var isEmpty: Bool { changes.isEmpty }

  /// The digits with which the fingerprints begin that a name stands for: none for `all`.
  ///
  /// - Returns: nil if the text is neither `all` nor the beginning of a fingerprint.
  package static func digits(of name: String) -> String? {
    if name == all { return "" }
    let digits = name.lowercased()
    let isHex = digits.utf8.allSatisfy(Array("0123456789abcdef".utf8).contains)
    return isHex && (fewestDigits...64).contains(digits.utf8.count) ? digits : nil
  }

  package func contains(_ fingerprint: String) -> Bool {
    changes.last { fingerprint.hasPrefix($0.digits) }?.isSuspended ?? false
  }

  /// Revokes the certificates whose fingerprints begin with these digits, or makes them valid again.
  ///
  /// - Returns: `changed`, or why nothing has changed.
  package mutating func set(_ digits: String, isSuspended: Bool) -> Outcome {
    guard differs(digits, from: isSuspended) else { return .unchanged }
    var kept = changes.filter { !$0.digits.hasPrefix(digits) }
    // Without an earlier change, everything is valid.
    if isSuspended || !kept.isEmpty {
      guard kept.count < Self.most else { return .tooMany }
      kept.append(Change(digits: digits, isSuspended: isSuspended))
    }
    changes = kept
    return .changed
  }

  /// True if the state of a certificate with these digits may be another.
  private func differs(_ digits: String, from isSuspended: Bool) -> Bool {
    for change in changes.reversed() {
      let coversAll = digits.hasPrefix(change.digits)
      guard coversAll || change.digits.hasPrefix(digits) else { continue }
      if change.isSuspended != isSuspended { return true }
      if coversAll { return false }
    }
    return isSuspended
  }

  /// The certificate as the rules see it: with its flaw if it is suspended and has no other.
  package func marked(_ certificate: ProviderCertificate) -> ProviderCertificate {
    contains(certificate.fingerprint) ? certificate.marked(.suspended) : certificate
  }
}
