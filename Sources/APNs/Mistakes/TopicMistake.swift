/// Sentences about mistakes in a rejected topic.
package enum TopicMistake {
  /// A topic of something that is not an app of a phone; nil for other topics.
  ///
  /// Documented: pass type identifiers and website push ids begin with these words.
  package static func notAnApp(_ topic: String) -> String? {
    if topic.hasPrefix("pass.") {
      return
        "\(topic) is a pass type identifier: it tells Wallet to ask the web service of a pass. Pushpit has no phone"
        + " with passes."
    }
    if topic.hasPrefix("web.") {
      return "\(topic) is the id of a website whose notifications Safari shows on a Mac. Pushpit has no Macs."
    }
    return nil
  }

  /// Text that is not a topic.
  static func notWellFormed(_ text: String) -> String? {
    let isAround: (Character) -> Bool = { " \t<>()[]{}\"'`,;".contains($0) }
    let bare = String(text.drop(while: isAround).reversed().drop(while: isAround).reversed())
    if bare != text, Topic(bare) != nil {
      return "The topic \(Shown.text(text)) has brackets, quotes or spaces; it should be \(bare)."
    }
    if text.utf8.count > 255 { return "The topic has \(text.utf8.count) bytes; a bundle id is shorter." }
    return "The topic \(Shown.text(text)) has other characters than a bundle id: letters, digits, dots and hyphens."
  }

  /// A topic that the provider's key may not use.
  static func disallowed(_ topic: Topic, of key: ProviderKey, in ring: KeyRing) -> String? {
    let bundle = topic.bundleID
    if let what = notAnApp(bundle) { return what }
    if bundle.hasPrefix(ProviderCertificate.managementPrefix) {
      return
        "\(bundle) is a topic of device management, which needs a push certificate; a provider token cannot use it."
    }
    if let inner = topic.inner {
      return
        "The topic \(topic.text) has two suffixes, \(inner.suffix.text) and \(topic.suffix.text). A library may add"
        + " the suffix of the push type to what it is given: give it \(inner.bundleID)."
    }
    if ring.team(of: bundle) == nil, let near = misspelled(topic, in: ring) { return near }
    return forbidden(bundle, key, in: ring)
  }

  private static func forbidden(_ bundle: String, _ key: ProviderKey, in ring: KeyRing) -> String? {
    let noApps =
      ring.hasApps(of: key.teamID)
      ? ""
      : " No app of the fleet is of that team: `--app BUNDLE:ENVIRONMENT::\(key.teamID)` makes one, and so does"
        + " `teamId` of an app in the settings file."
    if let team = ring.team(of: bundle) {
      if team != key.teamID {
        return "The app \(bundle) is of team \(team), and the key \(key.keyID) of team \(key.teamID).\(noApps)"
          + " `pushpit keys make --team-id \(team)` makes a key for the app."
      }
      return "The key \(key.keyID) is only for \((key.topics ?? []).joined(separator: ", "))."
    }
    return "No app of the fleet has the bundle id \(bundle).\(noApps)"
  }

  private static func misspelled(_ topic: Topic, in ring: KeyRing) -> String? {
    let bundle = topic.bundleID
    if let app = ring.app(where: { $0.lowercased() == bundle.lowercased() }) {
      return "The topic \(topic.text) differs from \(app) in capital letters, which count."
    }
    let parts = bundle.split(separator: ".", maxSplits: 1)
    if parts.count == 2, parts[0].utf8.count == 10, parts[0].allSatisfy({ $0.isNumber || $0.isUppercase }) {
      return
        "The topic \(topic.text) begins with a team, \(parts[0]); it must be the bundle id without it, \(parts[1])."
    }
    if let app = ring.app(where: { bundle.hasPrefix($0 + ".") }) {
      return "The topic \(topic.text) is \(app) followed by text that is not a suffix of a push type; \(liveActivity)."
    }
    return nil
  }

  private static let liveActivity = "that of Live Activities is \(TopicSuffix.liveActivity.text)"

  /// A suffix that does not match the push type.
  static func mismatch(_ topic: Topic, _ type: PushType) -> String {
    if type == .mdm {
      return "The push type mdm needs a topic of device management, \(ProviderCertificate.managementPrefix)…, not"
        + " \(topic.text)."
    }
    let right = Topic(bundleID: topic.bundleID, suffix: type.suffix).text
    let other = PushType.allCases.first { $0.suffix == topic.suffix && $0 != type }
    return "The push type \(type.rawValue) needs the topic \(right); \(topic.text) is for the push type"
      + " \(other?.rawValue ?? "alert")."
  }
}

extension Topic {
  /// The topic without the last of its two suffixes; nil if it has only one.
  var inner: Topic? { Topic(bundleID).flatMap { $0.suffix == .none ? nil : $0 } }
}
