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

  var publicKey: String { Base64.encode(verifying.spki[...]) }

  var json: JSONValue { Self.json(key, publicKey: publicKey) }

  private static func json(_ key: ProviderKey, publicKey: String) -> JSONValue {
    [
      "keyId": .string(key.keyID), "teamId": .string(key.teamID),
      "environment": .string(KeySetting.word(key.environments)),
      "topics": key.topics.map { .array($0.map { .string($0) }) } ?? .null, "related": JSONValue(key.relatedKeyID),
      "publicKey": .string(publicKey),
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
    do throws(SigningFailure) {
      verifying = try VerifyingKey(pem: Self.pem(text), from: "the tape's header")
    } catch {
      throw ReplayProblem("the key \(keyID) of its header cannot be read: \(error)")
    }
  }

  static func ring(_ keys: [TapeKey], apps: [(bundleID: String, teamID: String)]) -> KeyRing {
    let verifying = Dictionary(keys.map { ($0.key.keyID, $0.verifying) }, uniquingKeysWith: { first, _ in first })
    return KeyRing(keys: keys.map(\.key), apps: apps, read: read) { keyID, signed, signature in
      verifying[keyID]?.accepts(signature, of: signed) ?? false
    }
  }

  /// Reads keys that are added to a running server.
  static let read: KeyRing.KeyReader = { text in
    guard let key = try? VerifyingKey(pem: pem(text), from: "the order") else { return nil }
    return { signed, signature in key.accepts(signature, of: signed) }
  }

  private static func pem(_ text: String) -> String {
    "-----BEGIN PUBLIC KEY-----\n\(text)\n-----END PUBLIC KEY-----\n"
  }

  /// The keys that are valid in a world whose tape began with these.
  static func valid(in ring: KeyRing, began keys: [TapeKey]) -> [JSONValue] {
    ring.valid.compactMap { entry in
      entry.publicKey.map { json(entry.key, publicKey: $0) }
        ?? keys.first { $0.key.keyID == entry.key.keyID }?.json
    }
  }
}

extension VerifyingKey {
  func accepts(_ signature: ProviderToken.Signature, of signed: [UInt8]) -> Bool {
    switch signature {
    case .raw(let bytes): accepts(raw: bytes, of: signed)
    case .der(let bytes): accepts(der: bytes, of: signed)
    }
  }
}
