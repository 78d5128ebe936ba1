import WireFormats

/// The token a provider shows with each push: a compact ES256 JSON Web Token with the four fields Apple names
/// ("Establishing a token-based connection to APNs").
package enum ProviderJWT {
  /// A token that says it was made at `seconds` of Unix time.
  package static func make(
    key: SigningKey, keyID: String, teamID: String, issuedAt seconds: Int64
  ) throws(SigningFailure) -> String {
    try check(keyID, "key id")
    try check(teamID, "team id")
    let header = Base64URL.encode(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8)
    let claims = Base64URL.encode(#"{"iss":"\#(teamID)","iat":\#(seconds)}"#.utf8)
    let signed = header + "." + claims
    return signed + "." + Base64URL.encode(try key.sign(Array(signed.utf8)))
  }

  /// Letters and digits only, so an id never needs escaping, in JSON or in the name of a file.
  private static func check(_ id: String, _ what: String) throws(SigningFailure) {
    let plain = id.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: false
      }
    }
    guard plain, !id.isEmpty else { throw .badIdentifier(what: what, text: id) }
  }
}
