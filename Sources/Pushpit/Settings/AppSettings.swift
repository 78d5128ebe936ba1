import APNs
import Devices
import Simulation
import Yams

/// Reads the list of apps: `fleet.apps` of the YAML file, and `--app` of the command line.
struct AppSettings {
  let file: SettingsFile

  private static let keys = [
    "bundleId", "teamId", "environment", "attributesTypes", "services", "runningActivities", "deviceTokenBytes",
    "liveActivityTokenBytes",
  ]

  func read(_ node: Node) throws(ConfigurationProblem) -> [AppProfile] {
    var apps: [AppProfile] = []
    for (entry, values) in try file.entries(node, "fleet.apps", known: Self.keys) {
      apps.append(try app(entry, values))
    }
    try Self.check(apps, place: file.place(node))
    return apps
  }

  private func app(_ entry: Node, _ values: [String: Node]) throws(ConfigurationProblem) -> AppProfile {
    guard let bundleNode = values["bundleId"] else {
      throw ConfigurationProblem(file.place(entry), "an app needs a bundleId such as com.example.app.")
    }
    let bundleID = try file.scalar(bundleNode, "bundleId")
    guard let topic = Topic(bundleID), topic.suffix == .none else {
      throw ConfigurationProblem(
        file.place(bundleNode), "bundleId must be letters, digits, dots and hyphens without a push type's suffix.")
    }
    let types = try self.types(values["attributesTypes"])
    return AppProfile(
      bundleID: bundleID, teamID: try text(values["teamId"], "teamId") ?? FleetPlan.standardTeam,
      build: try build(values["environment"]), types: types, services: try services(values["services"]),
      runningActivities: try number(values["runningActivities"], "runningActivities", 0...FleetPlan.mostActivities)
        ?? 0,
      tokenSizes: TokenSizes(
        app: try number(values["deviceTokenBytes"], "deviceTokenBytes", TokenSizes.allowed) ?? 32,
        liveActivity: try number(values["liveActivityTokenBytes"], "liveActivityTokenBytes", TokenSizes.allowed) ?? 80))
  }

  /// A type is a name, or a name with the schemas of its attributes and content state.
  private func types(_ node: Node?) throws(ConfigurationProblem) -> [AttributesType] {
    guard let node else { return [] }
    guard let sequence = node.sequence else {
      throw ConfigurationProblem(file.place(node), "attributesTypes takes a list such as [MatchAttributes].")
    }
    var types: [AttributesType] = []
    for entry in sequence {
      let type = try self.type(entry)
      if types.contains(where: { $0.name == type.name }) {
        throw ConfigurationProblem(file.place(entry), "the type \(type.name) stands in attributesTypes twice.")
      }
      types.append(type)
    }
    return types
  }

  private func type(_ entry: Node) throws(ConfigurationProblem) -> AttributesType {
    if let name = entry.scalar?.string, !name.isEmpty { return AttributesType(name) }
    let known = ["name", "attributes", "contentState"]
    guard let mapping = entry.mapping else {
      throw ConfigurationProblem(file.place(entry), "a type is a name, or holds name, attributes and contentState.")
    }
    for (key, _) in mapping where !known.contains(key.string ?? "") {
      throw file.unknown(key.string ?? "?", at: key, known: known)
    }
    guard let name = mapping["name"]?.string, !name.isEmpty else {
      throw ConfigurationProblem(file.place(entry), "a type needs a name, that of the Swift type.")
    }
    return AttributesType(
      name, attributes: try schema(mapping["attributes"], "\(name).attributes"),
      contentState: try schema(mapping["contentState"], "\(name).contentState"))
  }

  private func schema(_ node: Node?, _ key: String) throws(ConfigurationProblem) -> ContentSchema? {
    guard let node else { return nil }
    do {
      return try ContentSchema(JSONFromYAML.value(node))
    } catch {
      throw ConfigurationProblem(file.place(node), "\(key): \(error)")
    }
  }

  private func build(_ node: Node?) throws(ConfigurationProblem) -> AppProfile.Build {
    guard let node else { return .sandbox }
    let word = try file.scalar(node, "environment")
    guard let build = AppProfile.Build(rawValue: word) else {
      throw ConfigurationProblem(file.place(node), "environment must be sandbox, production or mixed, not \"\(word)\".")
    }
    return build
  }

  private func services(_ node: Node?) throws(ConfigurationProblem) -> [TopicSuffix] {
    guard let node else { return [.voip] }
    var services: [TopicSuffix] = []
    for word in try file.strings(node, "services") {
      guard case .service(let suffix)? = TokenKind(word) else {
        let known = TokenKind.services.map { TokenKind.service($0).name }.joined(separator: ", ")
        throw ConfigurationProblem(file.place(node), "services may name \(known), not \"\(word)\".")
      }
      services.append(suffix)
    }
    return services
  }

  private func text(_ node: Node?, _ key: String) throws(ConfigurationProblem) -> String? {
    guard let node else { return nil }
    return try file.scalar(node, key)
  }

  private func number(_ node: Node?, _ key: String, _ range: ClosedRange<Int>) throws(ConfigurationProblem) -> Int? {
    guard let node else { return nil }
    let text = try file.scalar(node, key)
    do {
      return try Read.whole(text, range)
    } catch {
      throw ConfigurationProblem(file.place(node), "\(key) must be \(error.wanted), not \"\(text)\".")
    }
  }

  static func check(_ apps: [AppProfile], place: String) throws(ConfigurationProblem) {
    guard (1...FleetPlan.mostApps).contains(apps.count) else {
      throw ConfigurationProblem(place, "a fleet needs from 1 to \(FleetPlan.mostApps) apps.")
    }
    for (index, app) in apps.enumerated() where apps[..<index].contains(where: { $0.bundleID == app.bundleID }) {
      throw ConfigurationProblem(place, "the app \(app.bundleID) stands in fleet.apps twice.")
    }
  }
}

extension Settings {
  /// Takes the apps of the command line, `bundle[:environment[:AttributesType,…]]` each, in place of all others.
  public mutating func setApps(_ texts: [String]) throws(ConfigurationProblem) {
    guard !texts.isEmpty else { return }
    var apps: [AppProfile] = []
    for text in texts {
      let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
      guard let topic = Topic(parts[0]), topic.suffix == .none,
        let build = AppProfile.Build(rawValue: parts.count > 1 ? parts[1] : "sandbox")
      else {
        throw ConfigurationProblem(
          "--app", "an app is BUNDLE[:sandbox|production|mixed[:AttributesType,…]], not \"\(text)\".")
      }
      let types = parts.count > 2 ? parts[2].split(separator: ",").map(String.init) : []
      for (index, type) in types.enumerated() where types[..<index].contains(type) {
        throw ConfigurationProblem("--app", "the type \(type) stands in \"\(text)\" twice.")
      }
      apps.append(
        AppProfile(bundleID: parts[0], teamID: FleetPlan.standardTeam, build: build, attributesTypes: types))
    }
    try AppSettings.check(apps, place: "--app")
    self.apps = apps
  }
}
