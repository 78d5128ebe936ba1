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

  /// Parses `bytes[range]`; nil if it is not a valid provider token.
  ///
  /// - Parameter strict: rejects DER signatures and an `iat` that is not an integer.
  package init?(_ bytes: Span<UInt8>, _ range: Range<Int>, strict: Bool) {
    guard range.count <= Self.longest else { return nil }
    let text = bytes.copy(range)
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Base64URL.decode(parts[0]), let claims = Base64URL.decode(parts[1]),
      let signature = Base64URL.decode(parts[2]).flatMap({ Self.signature($0, strict: strict) }),
      let keyID = Self.keyID(header), let (teamID, issuedAt) = Self.claims(claims, strict: strict)
    else { return nil }
    self.keyID = keyID
    self.teamID = teamID
    self.issuedAt = issuedAt
    self.signature = signature
    signedCount = parts[0].count + 1 + parts[1].count
  }

  private static func signature(_ bytes: [UInt8], strict: Bool) -> Signature? {
    if bytes.count == 64 { return .raw(bytes) }
    // A P-256 SEQUENCE of two INTEGERs has 8 to 72 bytes; the library that verifies it parses the rest.
    guard !strict, (8...72).contains(bytes.count), bytes[0] == 0x30 else { return nil }
    return .der(bytes)
  }

  private static func keyID(_ header: [UInt8]) -> String? {
    let read = try? JSONNode.read(header) { node -> String? in
      guard node.isObject, node["alg"]?.isString("ES256") == true, node["crit"] == nil else { return nil }
      return node["kid"]?.string
    }
    return read ?? nil
  }

  private static func claims(_ claims: [UInt8], strict: Bool) -> (String, Instant)? {
    let read = try? JSONNode.read(claims) { node -> (String, Instant)? in
      guard node.isObject, let team = node["iss"]?.string, let stamp = node["iat"],
        let issuedAt = instant(stamp, strict: strict)
      else { return nil }
      return (team, issuedAt)
    }
    return read ?? nil
  }

  /// Observed: APNSwift and kalyke send `iat` as a string, PyAPNs2 and pyapns_client as a float; all work.
  private static func instant(_ node: JSONNode, strict: Bool) -> Instant? {
    if let seconds = node.integer { return Instant(seconds: seconds) }
    guard !strict else { return nil }
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
