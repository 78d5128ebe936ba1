import APNs
import Devices
import Grammar
import Reporting
import Simulation

/// Reads the list of apps: `fleet.apps` of the YAML file, and `--app` of the command line.
struct AppSettings {
  let file: SettingsFile

  /// Keys at the top level of an entry, and those of its `observe`.
  private static let keys = AppSettingKey.table.map(\.key).filter { !$0.hasPrefix(observe) } + ["observe"]
  /// Keys that an entry with a profile may have.
  private static let besideProfile = ["bundleId", "teamId", "environment", "backend"]
  private static let observe = "observe."

  func read(_ node: SourceNode) throws(InputProblem) -> [FleetApp] {
    var apps: [FleetApp] = []
    for (entry, values) in try file.entries(node, "fleet.apps", known: Self.keys) {
      apps.append(try whole(entry, values))
    }
    try Self.check(apps.map(\.profile), place: node.place)
    return apps
  }

  /// An app with its reports.
  func whole(_ entry: SourceNode, _ values: [String: SourceNode]) throws(InputProblem) -> FleetApp {
    guard let node = values["profile"] else {
      let profile = try app(entry, values)
      var reports: ReportPlan?
      if let node = values["reports"] {
        reports = try ReportSettings(file: file, profile: profile).read(node)
      }
      if let node = values["backend"] { reports?.backend = try file.backend(node) }
      return FleetApp(profile: profile, reports: reports)
    }
    for (key, value) in values where key != "profile" && !Self.besideProfile.contains(key) {
      throw InputProblem(
        value.place,
        "\(key) comes from the profile; with a profile, an entry may only have"
          + " \(Self.besideProfile.joined(separator: ", ")).")
    }
    let name = try file.scalar(node, "profile")
    var app = try ShippedProfile.load(name, place: node.place, files: file.files, path: file.path(of: name))
    if let node = values["bundleId"] { app.profile.bundleID = try self.bundleID(node) }
    if let node = values["teamId"] { app.profile.teamID = try file.scalar(node, "teamId") }
    if values["environment"] != nil { app.profile.build = try build(values["environment"]) }
    if let node = values["backend"] { app.reports?.backend = try file.backend(node) }
    return app
  }

  private func bundleID(_ node: SourceNode) throws(InputProblem) -> String {
    let bundleID = try file.scalar(node, "bundleId")
    guard let topic = Topic(bundleID), topic.suffix == .none else {
      throw InputProblem(
        node.place, "bundleId must be letters, digits, dots and hyphens without a push type's suffix.")
    }
    return bundleID
  }

  private func app(_ entry: SourceNode, _ values: [String: SourceNode]) throws(InputProblem) -> AppProfile {
    guard let bundleNode = values["bundleId"] else {
      throw InputProblem(entry.place, "an app needs a bundleId such as com.example.app.")
    }
    let bundleID = try self.bundleID(bundleNode)
    let types = try self.types(values["attributesTypes"])
    var profile = AppProfile(
      bundleID: bundleID, teamID: try text(values["teamId"], "teamId") ?? FleetPlan.standardTeam,
      build: try build(values["environment"]), types: types, services: try services(values["services"]),
      runningActivities: try number(
        values["runningActivities"], key: "runningActivities", in: 0...FleetPlan.mostActivities)
        ?? 0)
    profile.tokenSizes = TokenSizes(
      app: try number(values["deviceTokenBytes"], key: "deviceTokenBytes", in: TokenSizes.allowed) ?? 32,
      liveActivity: try number(values["liveActivityTokenBytes"], key: "liveActivityTokenBytes", in: TokenSizes.allowed)
        ?? 80)
    profile.traits = try traits(values)
    if let node = values["categories"] { profile.categories = try CategoryReader(file: file).read(node) }
    if let next = values["nextVersion"] { profile.traits.nextTypes = try nextTypes(next, after: types) }
    return profile
  }

  private func traits(_ values: [String: SourceNode]) throws(InputProblem) -> AppTraits {
    var traits = AppTraits()
    for key in AppSettingKey.table {
      if let node = values[key.key] { try apply(key, node, to: &traits) }
    }
    if let node = values["observe"] {
      let known = AppSettingKey.table.map(\.key).filter { $0.hasPrefix(Self.observe) }.map {
        String($0.dropFirst(Self.observe.count))
      }
      guard node.entries != nil else {
        throw InputProblem(node.place, "observe must have keys: \(known.joined(separator: ", ")).")
      }
      for entry in try file.members(node, "observe", known: known) {
        guard let key = AppSettingKey.table.first(where: { $0.key == Self.observe + entry.key }) else { continue }
        try apply(key, entry.value, to: &traits)
      }
    }
    if let node = values["sounds"] { traits.sounds = try file.strings(node, "sounds") }
    if let node = values["strings"] { traits.strings = try strings(node) }
    return traits
  }

  private func apply(_ key: AppSettingKey, _ node: SourceNode, to traits: inout AppTraits) throws(InputProblem) {
    guard let apply = key.apply else { return }
    try file.value(node, key: key.key) { try apply(&traits, $0) }
  }

  private func strings(_ node: SourceNode) throws(InputProblem) -> StringTable {
    let wanted = "strings must have languages with keys and texts, such as {en: {GOAL: \"Goal for %@\"}}."
    guard let languages = node.pairs else { throw InputProblem(node.place, wanted) }
    var table: [StringTable.Language] = []
    for (code, texts) in languages {
      guard let code = code.text, let mapping = texts.pairs else {
        throw InputProblem(texts.place, wanted)
      }
      do throws(ValueProblem) {
        _ = try Read.language(code)
      } catch {
        throw InputProblem(
          texts.place, "a language of strings must be \(error.wanted), not \"\(code)\".")
      }
      var entries: [StringTable.Entry] = []
      for (key, text) in mapping {
        guard let name = key.text else { throw InputProblem(key.place, wanted) }
        entries.append(StringTable.Entry(name, try file.scalar(text, "strings.\(code).\(name)")))
      }
      table.append(StringTable.Language(code, entries))
    }
    return StringTable(table)
  }

  /// The types of the next version. Their number, names and order must not change, because tokens and running
  /// activities refer to a type by its index.
  private func nextTypes(_ node: SourceNode, after types: [AttributesType]) throws(InputProblem) -> [AttributesType] {
    guard let list = node["attributesTypes"] else {
      throw InputProblem(
        node.place, "nextVersion must have attributesTypes, as the next version declares them.")
    }
    _ = try Fields(node, "nextVersion", known: ["attributesTypes"])
    let next = try self.types(list)
    guard next.map(\.name) == types.map(\.name) else {
      throw InputProblem(
        list.place,
        "the types of nextVersion must be those of the app, in the same order:"
          + " \(types.map(\.name).joined(separator: ", ")); their schemas and images may differ.")
    }
    return next
  }

  /// A type is a name, or a name with the schemas of its attributes and content state.
  private func types(_ node: SourceNode?) throws(InputProblem) -> [AttributesType] {
    guard let node else { return [] }
    guard let sequence = node.elements else {
      throw InputProblem(node.place, "attributesTypes must be a list such as [MatchAttributes].")
    }
    var types: [AttributesType] = []
    for entry in sequence {
      let type = try self.type(entry)
      if types.contains(where: { $0.name == type.name }) {
        throw InputProblem(entry.place, "attributesTypes has the type \(type.name) twice.")
      }
      types.append(type)
    }
    return types
  }

  private func type(_ entry: SourceNode) throws(InputProblem) -> AttributesType {
    if let name = entry.text, !name.isEmpty { return AttributesType(name) }
    let known = ["name", "attributes", "contentState", "images", "presentations", "card"]
    guard entry.entries != nil else {
      throw InputProblem(
        entry.place, "a type must be a name, or have name, attributes, contentState, images, presentations and card.")
    }
    _ = try Fields(entry, "a type", known: known)
    guard let name = entry["name"]?.spelling, !name.isEmpty else {
      throw InputProblem(entry.place, "a type needs the name of the Swift type.")
    }
    var type = AttributesType(
      name, attributes: try schema(entry["attributes"], "\(name).attributes"),
      contentState: try schema(entry["contentState"], "\(name).contentState"))
    if let node = entry["images"] { type.images = try images(node) }
    if let node = entry["presentations"] {
      try requireAllPresentations(node, of: name)
      type.suppliesSmall = true
    }
    if let node = entry["card"] { type.card = try CardReader(file: file).read(node) }
    return type
  }

  /// A widget without all presentations is rejected here, as on the phone.
  private func requireAllPresentations(_ node: SourceNode, of type: String) throws(InputProblem) {
    let known = RequiredPresentation.allCases.map(\.rawValue)
    guard let sequence = node.elements else {
      throw InputProblem(node.place, "presentations must be a list: [\(known.joined(separator: ", "))].")
    }
    var missing = RequiredPresentation.allCases
    for entry in sequence {
      let word = try file.scalar(entry, "presentations")
      guard let presentation = RequiredPresentation(rawValue: word) else {
        throw file.unknown(word, at: entry, known: known)
      }
      missing.removeAll { $0 == presentation }
    }
    guard missing.isEmpty else {
      throw InputProblem(
        node.place,
        "the widget of \(type) lacks \(missing.map(\.rawValue).joined(separator: ", ")); a Live Activity must provide "
          + "all of \(known.joined(separator: ", ")).")
    }
  }

  private func images(_ node: SourceNode) throws(InputProblem) -> AttributesType.Images {
    let word = try file.scalar(node, "images")
    guard let images = AttributesType.Images(rawValue: word) else {
      let known = AttributesType.Images.allCases.map(\.rawValue).joined(separator: " or ")
      throw InputProblem(node.place, "images must be \(known), not \"\(word)\".")
    }
    return images
  }

  private func schema(_ node: SourceNode?, _ key: String) throws(InputProblem) -> ContentSchema? {
    guard let node else { return nil }
    do {
      return try ContentSchema(node.json)
    } catch {
      throw InputProblem(node.place, "\(key): \(error)")
    }
  }

  private func build(_ node: SourceNode?) throws(InputProblem) -> AppProfile.Build {
    guard let node else { return .sandbox }
    let word = try file.scalar(node, "environment")
    guard let build = AppProfile.Build(rawValue: word) else {
      throw InputProblem(node.place, "environment must be sandbox, production or mixed, not \"\(word)\".")
    }
    return build
  }

  private func services(_ node: SourceNode?) throws(InputProblem) -> [TopicSuffix] {
    guard let node else { return [.voip] }
    var services: [TopicSuffix] = []
    for word in try file.strings(node, "services") {
      guard case .service(let suffix)? = TokenKind(word) else {
        let known = TokenKind.services.map { TokenKind.service($0).name }.joined(separator: ", ")
        throw InputProblem(node.place, "services must be among \(known), not \"\(word)\".")
      }
      services.append(suffix)
    }
    return services
  }

  private func text(_ node: SourceNode?, _ key: String) throws(InputProblem) -> String? {
    guard let node else { return nil }
    return try file.scalar(node, key)
  }

  private func number(_ node: SourceNode?, key: String, in range: ClosedRange<Int>) throws(InputProblem) -> Int? {
    guard let node else { return nil }
    return try file.value(node, key: key) { try Read.whole($0, range) }
  }

  static func check(_ apps: [AppProfile], place: String) throws(InputProblem) {
    guard (1...FleetPlan.mostApps).contains(apps.count) else {
      throw InputProblem(place, "a fleet needs from 1 to \(FleetPlan.mostApps) apps.")
    }
    for app in apps {
      if let what = TopicMistake.notAnApp(app.bundleID) { throw InputProblem(place, what) }
    }
    for (index, app) in apps.enumerated() where apps[..<index].contains(where: { $0.bundleID == app.bundleID }) {
      throw InputProblem(place, "fleet.apps has the app \(app.bundleID) twice.")
    }
  }
}

extension Settings {
  /// Replaces all apps with those of the command line, each `bundle[:environment[:AttributesType,…[:team]]]`.
  package mutating func setApps(_ texts: [String]) throws(InputProblem) {
    guard !texts.isEmpty else { return }
    var apps: [AppProfile] = []
    for text in texts {
      let parts = text.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
      let team = parts.count > 3 ? parts[3] : FleetPlan.standardTeam
      guard let topic = Topic(parts[0]), topic.suffix == .none,
        let build = AppProfile.Build(rawValue: parts.count > 1 ? parts[1] : "sandbox"),
        !team.isEmpty, team.allSatisfy({ $0.isLetter || $0.isNumber })
      else {
        throw InputProblem(
          "--app", "an app must be BUNDLE[:sandbox|production|mixed[:AttributesType,…[:TEAM]]], not \"\(text)\".")
      }
      let types = parts.count > 2 ? parts[2].split(separator: ",").map(String.init) : []
      for (index, type) in types.enumerated() where types[..<index].contains(type) {
        throw InputProblem("--app", "\"\(text)\" has the type \(type) twice.")
      }
      apps.append(
        AppProfile(bundleID: parts[0], teamID: team, build: build, attributesTypes: types))
    }
    try AppSettings.check(apps, place: "--app")
    self.apps = apps.map { FleetApp(profile: $0) }
  }

  /// Apps by profiles, replacing those of the settings file, or in addition to those of `--app`.
  mutating func setProfiles(
    _ names: [String], beside others: Bool, files: SourceFiles
  ) throws(InputProblem) {
    guard !names.isEmpty else { return }
    var apps = others ? self.apps : []
    for name in names { apps.append(try ShippedProfile.load(name, place: "--profile", files: files)) }
    try AppSettings.check(apps.map(\.profile), place: "--profile")
    self.apps = apps
  }
}
