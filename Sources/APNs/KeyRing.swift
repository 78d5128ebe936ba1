/// The provider keys and the apps that Apple would know: who may sign, and for which topics.
package struct KeyRing: Sendable {
  /// Judges a signature; OpenSSL stands behind it, and this target does not know that.
  ///
  /// Answers whether the key of that id has signed those bytes.
  package typealias Check = @Sendable (_ keyID: String, _ signed: [UInt8], _ signature: ProviderToken.Signature) -> Bool

  package let keys: [ProviderKey]
  /// Which team owns a bundle id.
  private let owners: [String: String]
  private let numbers: [String: Int]
  private let check: Check

  /// - Parameter apps: bundle ids and the team that owns each.
  package init(keys: [ProviderKey], apps: [(bundleID: String, teamID: String)], check: @escaping Check) {
    self.keys = keys
    self.check = check
    owners = Dictionary(apps.map { ($0.bundleID, $0.teamID) }, uniquingKeysWith: { first, _ in first })
    numbers = Dictionary(keys.enumerated().map { ($1.keyID, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The key of that id, by its number in `keys`.
  package func number(of keyID: String) -> Int? { numbers[keyID] }

  package func signed(_ token: ProviderToken, _ text: [UInt8]) -> Bool {
    check(token.keyID, Array(text.prefix(token.signedCount)), token.signature)
  }

  /// Whether a key may send to an app's topics.
  package func allows(key number: Int, bundleID: String) -> Bool {
    let key = keys[number]
    guard owners[bundleID] == key.teamID else { return false }
    return key.topics?.contains(bundleID) ?? true
  }
}
