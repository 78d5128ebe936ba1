import APNs
import Configuration
import Signing
import WireFormats

/// A provider key on a tape: its restrictions, and its public half.
package struct TapeKey: Sendable {
  let key: ProviderKey
  private let verifying: VerifyingKey

  init(_ key: ProviderKey, _ verifying: VerifyingKey) {
    self.key = key
    self.verifying = verifying
  }

  var json: JSONValue {
    [
      "keyId": .string(key.keyID), "teamId": .string(key.teamID),
      "environment": .string(KeySetting.word(key.environments)),
      "topics": key.topics.map { .array($0.map { .string($0) }) } ?? .null, "related": JSONValue(key.relatedKeyID),
      "publicKey": .string(Base64.encode(verifying.spki[...])),
    ]
  }

  init(_ json: JSONValue) throws(ReplayProblem) {
    guard let keyID = json["keyId"]?.string, let teamID = json["teamId"]?.string,
      let environments = json["environment"]?.string.flatMap(KeySettings.environments),
      let text = json["publicKey"]?.string
    else { throw ReplayProblem("a key of its header needs keyId, teamId, environment and publicKey.") }
    key = ProviderKey(
      keyID: keyID, teamID: teamID, environments: environments,
      topics: json["topics"]?.elements?.compactMap(\.string), relatedKeyID: json["related"]?.string)
    let lines = "-----BEGIN PUBLIC KEY-----\n\(text)\n-----END PUBLIC KEY-----\n"
    do throws(SigningFailure) {
      verifying = try VerifyingKey(pem: lines, from: "the tape's header")
    } catch {
      throw ReplayProblem("the key \(keyID) of its header cannot be read: \(error)")
    }
  }

  static func ring(_ keys: [TapeKey], apps: [(bundleID: String, teamID: String)]) -> KeyRing {
    let verifying = Dictionary(keys.map { ($0.key.keyID, $0.verifying) }, uniquingKeysWith: { first, _ in first })
    return KeyRing(keys: keys.map(\.key), apps: apps) { keyID, signed, signature in
      guard let key = verifying[keyID] else { return false }
      return switch signature {
      case .raw(let bytes): key.accepts(raw: bytes, of: signed)
      case .der(let bytes): key.accepts(der: bytes, of: signed)
      }
    }
  }
}
