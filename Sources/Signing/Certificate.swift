import COpenSSL

/// A certificate that was read from a file or just made.
package struct Certificate: Sendable {
  static let wanted = "a certificate (\"CERTIFICATE\")"

  /// Only this certificate.
  package let pem: String
  /// Unix seconds, both inclusive.
  package let notBefore: Int64
  package let notAfter: Int64
  /// DNS names and IP addresses for which it is valid, in the certificate's order; empty for a CA.
  package let names: [String]
  let handle: X509Handle

  /// Reads the first certificate of a PEM file.
  package init(pem: String, from file: String) throws(SigningFailure) {
    let block = try PEM(pem, from: file, wanted: Self.wanted)
    guard block.label == "CERTIFICATE" else {
      throw .otherPEM(file: file, found: block.label, wanted: Self.wanted)
    }
    let pointer = OpenSSL.quietly {
      OpenSSL.decoded(block.bytes, { d2i_X509(nil, $0, $1) }, free: { X509_free($0) })
    }
    guard let pointer else { throw .damaged(file: file, wanted: Self.wanted) }
    try self.init(X509Handle(adopting: pointer), from: file)
  }

  init(_ handle: X509Handle, from file: String) throws(SigningFailure) {
    let (der, begin, end, names) = OpenSSL.quietly {
      (
        OpenSSL.encoded { i2d_X509(handle.pointer, $0) },
        X509Handle.seconds(X509_get0_notBefore(handle.pointer)),
        X509Handle.seconds(X509_get0_notAfter(handle.pointer)),
        handle.alternativeNames().map(\.description)
      )
    }
    guard let der, let begin, let end else { throw .damaged(file: file, wanted: Self.wanted) }
    pem = try PEM(label: "CERTIFICATE", bytes: der).text()
    notBefore = begin
    notAfter = end
    self.names = names
    self.handle = handle
  }

  /// The DNS names that a CA's name constraints permit; empty for other certificates.
  package var permittedNames: [String] {
    // Another program's CA may permit names that ours cannot.
    (OpenSSL.quietly { handle.nameConstraints() }?.names ?? []).compactMap(HostName.dnsName)
  }

  /// The authority of a certificate as a CA.
  package enum CARole: Sendable {
    case noAuthority
    /// A CA that may sign for any name. No CA made by Pushpit may.
    case unlimited
    /// A CA made by an earlier Pushpit.
    case outdated
    case current
  }

  package var standing: CARole {
    OpenSSL.quietly {
      // 1 means a CA by its basic constraints; the higher numbers are legacy variants.
      guard X509_check_ca(handle.pointer) == 1 else { return .noAuthority }
      guard let permitted = handle.nameConstraints() else { return .unlimited }
      let nothing = [NameConstraints.nowhere]
      let isCurrent =
        !permitted.names.isEmpty && permitted.mail == nothing && permitted.locations == nothing
        && !permitted.limitsAddresses && handle.isForServersOnly
      return isCurrent ? .current : .outdated
    }
  }

  package func isValid(at seconds: Int64) -> Bool { notBefore <= seconds && seconds <= notAfter }

  /// True if `authority` signed this certificate; dates and names are not checked.
  package func isSigned(by authority: Certificate) -> Bool {
    OpenSSL.quietly {
      X509_check_issued(authority.handle.pointer, handle.pointer) == X509_V_OK
        && X509_verify(handle.pointer, X509_get0_pubkey(authority.handle.pointer)) == 1
    }
  }

  /// True if `key` is the private key of this certificate.
  package func belongs(to key: SigningKey) -> Bool {
    OpenSSL.quietly { X509_check_private_key(handle.pointer, key.key.pointer) == 1 }
  }
}
