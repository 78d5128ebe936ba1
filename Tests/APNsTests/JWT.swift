import Timeline
import WireFormats

/// A provider token written by hand; each test spoils one part of it.
struct JWT {
  var algorithm = "ES256"
  var keyID: String? = "KEY0000001"
  var teamID: String? = "TEAM000001"
  /// As it stands in the JSON: a number, or whatever else a client writes there.
  var issuedAt: String? = String(Gate.now.world.seconds)
  /// Nil for the signature that the key's check accepts.
  var signature: [UInt8]?

  var header: String {
    let id = keyID.map { #","kid":"\#($0)""# } ?? ""
    return #"{"alg":"\#(algorithm)"\#(id)}"#
  }

  var claims: String {
    let members = [teamID.map { #""iss":"\#($0)""# }, issuedAt.map { #""iat":\#($0)"# }]
    return "{" + members.compactMap(\.self).joined(separator: ",") + "}"
  }

  var text: String { Self.text(header: header, claims: claims, signature: signature ?? Self.seal(keyID ?? "")) }

  static func text(header: String, claims: String, signature: [UInt8]) -> String {
    [Array(header.utf8), Array(claims.utf8), signature].map { Base64URL.encode($0) }.joined(separator: ".")
  }

  /// The bytes that stand for the signature of a key in these tests: its id, and zeros up to 64 bytes.
  static func seal(_ keyID: String) -> [UInt8] {
    Array((Array(keyID.utf8) + [UInt8](repeating: 0, count: 64)).prefix(64))
  }
}
