import Timeline
import WireFormats

/// A parsed provider token: a JWT with a valid structure. Its signature is not checked yet.
///
/// Documented: header `alg` ES256 and `kid`, claims `iss` and `iat`, base64url in three parts ("Establishing a
/// token-based connection to APNs"). Other header fields and claims are ignored, because many senders add some. A token
/// with `crit` is rejected: a reader must reject critical fields that it does not know (RFC 7515 4.1.11), and none are
/// known here.
package struct ProviderToken: Hashable, Sendable {
  package let keyID: String
  package let teamID: String
  package let issuedAt: Instant
  package let signature: Signature
  /// Number of bytes of the token's text that are signed: header, dot and claims.
  package let signedCount: Int

  package enum Signature: Hashable, Sendable {
    /// r and s, 32 bytes each (RFC 7518 section 3.4).
    case raw([UInt8])
    /// An ASN.1 SEQUENCE, as `openssl dgst -sign` writes it in Apple's own recipe.
    case der([UInt8])
  }

  /// Maximum length of a token, in bytes. Assumed; real tokens have about 200, and the header list is limited too.
  private static let longest = 4096

  /// Parses `bytes[range]`.
  ///
  /// - Parameter strict: rejects DER signatures, an `iat` that is not an integer, and base64 that is not of JWT's form.
  package init(_ bytes: Span<UInt8>, _ range: Range<Int>, strict: Bool) throws(ProviderTokenFlaw) {
    guard range.count <= Self.longest else { throw .tooLong(range.count) }
    let text = bytes.copy(range)
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .parts(parts.count) }
    let header = try Self.decode(parts[0], .header, strict: strict)
    let claims = try Self.decode(parts[1], .claims, strict: strict)
    let signature = try Self.decode(parts[2], .signature, strict: strict)
    keyID = try Self.keyID(header, claims)
    (teamID, issuedAt) = try Self.claims(claims, strict: strict)
    self.signature = try Self.signature(signature, strict: strict)
    signedCount = parts[0].count + 1 + parts[1].count
  }

  /// Documented: base64url without padding (RFC 7515). Inferred: APNs takes standard base64 with padding too, as a2
  /// writes it in all of its versions.
  private static func decode(
    _ part: ArraySlice<UInt8>, _ name: ProviderTokenFlaw.Part, strict: Bool
  ) throws(ProviderTokenFlaw) -> [UInt8] {
    if let bytes = Base64URL.decode(part) { return bytes }
    guard let bytes = Base64.decodeAnyForm(part) else { throw .notBase64(name) }
    guard !strict else { throw .otherBase64(name) }
    return bytes
  }

  private static func signature(_ bytes: [UInt8], strict: Bool) throws(ProviderTokenFlaw) -> Signature {
    if bytes.count == 64 { return .raw(bytes) }
    // A P-256 SEQUENCE of two INTEGERs has 8 to 72 bytes; the library that verifies it parses the rest.
    guard (8...72).contains(bytes.count), bytes[0] == 0x30 else { throw .signature(bytes.count) }
    guard !strict else { throw .derSignature }
    return .der(bytes)
  }

  private static func keyID(_ header: [UInt8], _ claims: [UInt8]) throws(ProviderTokenFlaw) -> String {
    let read = try? JSONNode.read(header) { node -> Result<String, ProviderTokenFlaw> in
      guard node.isObject else { return .failure(.notObject(.header)) }
      guard node["alg"]?.isString("ES256") == true else { return .failure(.algorithm(node["alg"]?.string)) }
      guard node["crit"] == nil else { return .failure(.critical) }
      guard let keyID = node["kid"]?.string else { return .failure(.noKeyID(isAmongClaims: false)) }
      return .success(keyID)
    }
    guard let read else { throw .notObject(.header) }
    if case .failure(.noKeyID) = read {
      let isAmongClaims = try? JSONNode.read(claims) { $0.isObject && $0["kid"]?.string != nil }
      throw .noKeyID(isAmongClaims: isAmongClaims ?? false)
    }
    return try read.get()
  }

  private static func claims(_ claims: [UInt8], strict: Bool) throws(ProviderTokenFlaw) -> (String, Instant) {
    let read = try? JSONNode.read(claims) { node -> Result<(String, Instant), ProviderTokenFlaw> in
      guard node.isObject else { return .failure(.notObject(.claims)) }
      guard let team = node["iss"]?.string else { return .failure(.noTeamID) }
      guard let stamp = node["iat"] else { return .failure(.noIssueTime) }
      guard let issuedAt = instant(stamp) else { return .failure(.issueTime) }
      guard !strict || stamp.integer != nil else { return .failure(.notWholeIssueTime) }
      return .success((team, issuedAt))
    }
    guard let read else { throw .notObject(.claims) }
    return try read.get()
  }

  /// Observed: APNSwift and kalyke send `iat` as a string, PyAPNs2 and pyapns_client as a float; all work.
  private static func instant(_ node: JSONNode) -> Instant? {
    if let seconds = node.integer { return Instant(seconds: seconds) }
    if let seconds = node.double { return instant(seconds) }
    guard let text = node.string else { return nil }
    if let seconds = Int64(text) { return Instant(seconds: seconds) }
    return Double(text).flatMap(instant)
  }

  private static func instant(_ seconds: Double) -> Instant? {
    guard seconds.isFinite, abs(seconds) < 9e18 else { return nil }
    return Instant(seconds: Int64(seconds.rounded(.down)))
  }
}
