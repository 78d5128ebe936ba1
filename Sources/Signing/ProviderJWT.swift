import WireFormats

/// The token that a provider sends with each push: a compact ES256 JSON Web Token with the four fields that Apple names
/// ("Establishing a token-based connection to APNs").
package enum ProviderJWT {
  /// A token with the given time of issue, in Unix seconds.
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

  /// Only letters and digits, so an id needs no escaping in JSON or in a file name.
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
