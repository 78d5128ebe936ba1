import APNs
import Configuration
import Grammar
import Signing

/// The keys of a server: those of the state folder and those of the configuration.
struct ProviderKeys {
  private(set) var entries: [KeyRegistry.Entry]
  /// The ids of the keys of the configuration.
  let configured: Set<String>
  private let verifying: [String: VerifyingKey]

  /// - Throws: `InputProblem` for a key of the configuration, `KeyProblem` for one of the state folder.
  init(registry: KeyRegistry, settings: [KeySetting], folder: StateFolder) throws {
    var entries = registry.entries
    var verifying: [String: VerifyingKey] = [:]
    for entry in entries {
      let path = entry.p8 ?? entry.publicKey ?? ""
      do throws(SigningFailure) {
        verifying[entry.keyID] = try VerifyingKey(pem: try KeyFile.read(path), from: path)
      } catch {
        throw KeyProblem(
          "\(folder.keyListPath) has the key \(entry.keyID), but \(error) `pushpit keys remove \(entry.keyID)`"
            + " unregisters it.")
      }
    }
    for setting in settings {
      let path: String
      switch setting.source {
      case .p8(let file), .publicKey(let file), .pem(let file): path = AbsolutePath.of(file)
      case .generated:
        path = try KeyProblem.wrapping { () throws(SigningFailure) in try Self.make(setting.key.keyID, in: folder) }
      }
      let isPrivate: Bool
      do {
        let text = try KeyFile.read(path)
        verifying[setting.key.keyID] = try VerifyingKey(pem: text, from: path)
        isPrivate = text.contains("PRIVATE KEY")
      } catch {
        throw InputProblem(setting.place, error.description)
      }
      // The configuration overrides the state folder.
      entries.removeAll { $0.keyID == setting.key.keyID }
      entries.append(.init(key: setting.key, p8: isPrivate ? path : nil, publicKey: isPrivate ? nil : path))
    }
    self.entries = entries
    configured = Set(settings.map(\.key.keyID))
    self.verifying = verifying
  }

  /// Makes a key that the configuration wants, unless an earlier run has made it. It is not registered, so it is valid
  /// only for servers with such a configuration.
  private static func make(_ keyID: String, in folder: StateFolder) throws(SigningFailure) -> String {
    let path = folder.configuredPath + "/AuthKey_\(keyID).p8"
    try folder.prepare()
    let lock = try FolderLock(folder.path)
    try lock.hold { () throws(SigningFailure) in
      guard !folder.exists(path) else { return }
      try KeyFile.makeDirectory(folder.configuredPath)
      try KeyFile.write(try SigningKey.generate().p8, to: path)
    }
    return path
  }

  /// The keys in the form that a tape stores.
  var onTape: [TapeKey] {
    entries.compactMap { entry in verifying[entry.keyID].map { TapeKey(entry.key, $0) } }
  }

  /// Checks signatures with the keys' public halves.
  var check: KeyRing.Check {
    let keys = verifying
    return { keyID, signed, signature in keys[keyID]?.accepts(signature, of: signed) ?? false }
  }
}
