/// The first condition of a valid structure that a provider token does not meet.
package enum ProviderTokenFlaw: Error, Hashable, Sendable {
  package enum Part: String, Hashable, Sendable {
    case header
    case claims
    case signature
  }

  /// The provider token's length in bytes.
  case tooLong(Int)
  /// The number of parts between dots.
  case parts(Int)
  case notBase64(Part)
  /// Base64 with padding or with the standard alphabet, which a strict rulebook rejects.
  case otherBase64(Part)
  case notObject(Part)
  /// The algorithm that the header names, if it is a string.
  case algorithm(String?)
  case critical
  case noKeyID(isAmongClaims: Bool)
  case noTeamID
  case noIssueTime
  case issueTime
  /// Rejected only by a strict rulebook, as is `derSignature`.
  case notWholeIssueTime
  /// The signature's length in bytes.
  case signature(Int)
  case derSignature

  /// Rejected only by a strict rulebook.
  var isStrict: Bool {
    switch self {
    case .otherBase64, .notWholeIssueTime, .derSignature: true
    case .tooLong, .parts, .notBase64, .notObject, .algorithm, .critical, .noKeyID, .noTeamID, .noIssueTime,
      .issueTime, .signature:
      false
    }
  }

  /// A sentence for the provider's developer that names the mistake.
  package var sentence: String {
    switch self {
    case .tooLong(let count): "The provider token has \(count) bytes; real ones have about 200, and 4,096 are allowed."
    case .parts(let count):
      "A provider token must have three parts with dots between them: header, claims, signature; this has \(count)."
    case .notBase64(let part): "The \(part.rawValue) of the provider token is not base64url."
    case .otherBase64(let part):
      "The \(part.rawValue) of the provider token is base64 with padding or with + and /; rules.strictProviderTokens"
        + " requires base64url without padding (RFC 7515)."
    case .notObject(let part): "The \(part.rawValue) of the provider token must be a JSON object."
    case .algorithm(let name?):
      "The alg in the header of the provider token must be ES256, not \(Shown.text(name)); ES256 signs with the"
        + " private key in Apple's .p8 file."
    case .algorithm(nil): "The header of the provider token has no alg; it must be ES256."
    case .critical: "The header of the provider token has crit, whose fields APNs does not know; leave it out."
    case .noKeyID(isAmongClaims: true):
      "The header of the provider token has no kid; it is among the claims, and belongs in the header."
    case .noKeyID(isAmongClaims: false): "The header of the provider token has no kid, which is the id of the key."
    case .noTeamID: "The claims of the provider token have no iss, which is the id of the team as a string."
    case .noIssueTime: "The claims of the provider token have no iat, which is its time of issue in seconds since 1970."
    case .issueTime: "The iat of the provider token is not a number of seconds since 1970."
    case .notWholeIssueTime:
      "The iat of the provider token is not a whole number, which rules.strictProviderTokens requires."
    case .signature(let count):
      "The signature of the provider token has \(count) bytes; ES256 makes 64 (r and s), or a DER sequence of both."
    case .derSignature:
      "The signature of the provider token is in DER; rules.strictProviderTokens requires r and s, 64 bytes."
    }
  }
}

/// Text of a sender inside a sentence.
enum Shown {
  /// Quoted, in one line, and at most 80 characters of it.
  static func text(_ text: some StringProtocol) -> String {
    let plain = plain(text)
    return "\"" + plain.prefix(80) + (plain.count > 80 ? "…" : "") + "\""
  }

  /// In one line, with `?` for each character that could command a terminal or reverse the text beside it.
  static func plain(_ text: some StringProtocol) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator: "?"
          default: scalar
          }
        }))
  }
}
