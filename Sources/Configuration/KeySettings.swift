import APNs
import Grammar
import Simulation

/// Reads the list of provider keys of the YAML file.
package struct KeySettings {
  let file: SettingsFile

  private static let keys = ["keyId", "teamId", "environment", "topics", "related", "p8", "publicKey", "generate"]

  func read(_ node: SourceNode) throws(InputProblem) -> [KeySetting] {
    var found: [KeySetting] = []
    for (entry, values) in try file.entries(node, "keys", known: Self.keys) {
      let setting = try key(entry, values)
      if found.contains(where: { $0.key.keyID == setting.key.keyID }) {
        throw InputProblem(entry.place, "keys has the key \(setting.key.keyID) twice.")
      }
      found.append(setting)
    }
    return found
  }

  private func key(_ entry: SourceNode, _ values: [String: SourceNode]) throws(InputProblem) -> KeySetting {
    let keyID = try required("keyId", entry: entry, values: values)
    let teamID = try text(values["teamId"], "teamId") ?? FleetPlan.standardTeam
    let isGenerated = try isGenerated(values["generate"])
    let source: KeySetting.Source =
      switch (try text(values["p8"], "p8"), try text(values["publicKey"], "publicKey"), isGenerated) {
      case (let path?, nil, false): .p8(path)
      case (nil, let path?, false): .publicKey(path)
      case (nil, nil, true): .generated
      default:
        throw InputProblem(
          entry.place,
          "the key \(keyID) needs either p8 (a private key file), publicKey (a PEM file) or generate: true.")
      }
    if isGenerated, !keyID.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) || keyID.utf8.count > 64 {
      throw InputProblem(
        entry.place, "the id of a generated key must be 1 to 64 letters and digits, not \(Wording.quoted(keyID)).")
    }
    var topics: [String]?
    if let node = values["topics"] {
      let list = try file.strings(node, "topics")
      topics = list.isEmpty ? nil : list
    }
    return KeySetting(
      key: ProviderKey(
        keyID: keyID, teamID: teamID, environments: try environments(values["environment"]), topics: topics,
        relatedKeyID: try text(values["related"], "related")),
      source: source, place: entry.place)
  }

  private func isGenerated(_ node: SourceNode?) throws(InputProblem) -> Bool {
    guard let node, let word = try text(node, "generate") else { return false }
    guard word == "true" || word == "false" else {
      throw InputProblem(node.place, "generate must be true or false, not \(Wording.quoted(word)).")
    }
    return word == "true"
  }

  private func environments(_ node: SourceNode?) throws(InputProblem) -> Set<Environment> {
    guard let node else { return Set(Environment.allCases) }
    let word = try file.scalar(node, "environment")
    guard let environments = Self.environments(word) else {
      throw InputProblem(node.place, "environment must be sandbox, production or both, not \"\(word)\".")
    }
    return environments
  }

  package static func environments(_ word: String) -> Set<Environment>? {
    word == "both" ? Set(Environment.allCases) : Environment(rawValue: word).map { [$0] }
  }

  private func required(_ key: String, entry: SourceNode, values: [String: SourceNode]) throws(InputProblem)
    -> String
  {
    guard let text = try text(values[key], key), !text.isEmpty else {
      throw InputProblem(entry.place, "an entry of keys needs \(key).")
    }
    return text
  }

  /// An optional text; null means absent.
  private func text(_ node: SourceNode?, _ key: String) throws(InputProblem) -> String? {
    guard let node, !node.isNull else { return nil }
    return try file.scalar(node, key)
  }
}

extension Settings {
  /// Adds keys of the command line, each `id:team:environment:file`.
  package mutating func addKeys(_ texts: [String]) throws(InputProblem) {
    for text in texts {
      let parts = text.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 4, !parts[0].isEmpty, !parts[3].isEmpty,
        let environments = KeySettings.environments(parts[2])
      else {
        throw InputProblem("--key", "a key must be ID:TEAM:sandbox|production|both:FILE, not \"\(text)\".")
      }
      let key = ProviderKey(keyID: parts[0], teamID: parts[1], environments: environments)
      keys.removeAll { $0.key.keyID == key.keyID }
      keys.append(KeySetting(key: key, source: .pem(parts[3]), place: "--key"))
    }
  }
}
