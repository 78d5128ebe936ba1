import APNs
import Configuration
import Grammar
import Signing
import Simulation
import WireFormats

/// The provider keys, like those in Apple's developer portal, kept in the state folder.
public struct KeyRegistry: Sendable {
  /// A key, and the files of its private or public half.
  public struct Entry: Sendable {
    package let key: ProviderKey
    /// Path of the private key, if Pushpit has it.
    public let p8: String?
    public let publicKey: String?
    /// True if Pushpit made the key, so that its private half may be given away.
    package var isMade = false

    public var keyID: String { key.keyID }
    public var teamID: String { key.teamID }
    public var environment: String { KeySetting.word(key.environments) }
    public var topics: [String] { key.topics ?? [] }
  }

  private let folder: StateFolder
  public private(set) var entries: [Entry]

  /// Reads the list; a state folder without a list has no keys.
  public init(_ folder: StateFolder) throws(KeyProblem) {
    self.folder = folder
    do throws(StateList.Problem) {
      entries = try folder.keyList.read(Self.entry)
    } catch {
      throw KeyProblem(error)
    }
  }

  /// Makes a new key and writes its private half to the state folder.
  public mutating func make(keyID: String?, teamID: String?, environment: String, topics: [String], related: String?)
    throws(KeyProblem) -> Entry
  {
    let id = keyID ?? Self.randomID()
    let key = try Self.providerKey(id, teamID: teamID, environment: environment, topics: topics, related: related)
    return try change { registry throws(KeyProblem) in try registry.make(key) }
  }

  /// Makes the key of a first start. If several servers start at the same time, one of them makes it for all.
  mutating func makeFirst(teamID: String?) throws(KeyProblem) {
    let key = try Self.providerKey(Self.randomID(), teamID: teamID, environment: "both", topics: [], related: nil)
    try change { registry throws(KeyProblem) in
      if registry.entries.isEmpty { _ = try registry.make(key) }
    }
  }

  /// Registers an existing key: a `.p8` file, or the public half in PEM.
  public mutating func register(
    file: String, keyID: String, teamID: String?, environment: String, topics: [String], related: String?
  ) throws(KeyProblem) -> Entry {
    let key = try Self.providerKey(keyID, teamID: teamID, environment: environment, topics: topics, related: related)
    let path = AbsolutePath.of(file)
    let text = try KeyProblem.wrapping { () throws(SigningFailure) in try KeyFile.read(path) }
    let isPrivate = text.contains("PRIVATE KEY")
    _ = try KeyProblem.wrapping { () throws(SigningFailure) in try VerifyingKey(pem: text, from: file) }
    let entry = Entry(key: key, p8: isPrivate ? path : nil, publicKey: isPrivate ? nil : path)
    return try change { registry throws(KeyProblem) in try registry.add(entry) }
  }

  /// Registers a key given as PEM. Only its public half is kept, in the state folder.
  mutating func register(
    pem: String, keyID: String, teamID: String?, environment: String, topics: [String], related: String?
  ) throws(KeyProblem) -> Entry {
    let key = try Self.providerKey(keyID, teamID: teamID, environment: environment, topics: topics, related: related)
    let path = publicPath(keyID)
    let text = try KeyProblem.wrapping { () throws(SigningFailure) in try VerifyingKey(pem: pem, from: "pem").pem() }
    return try change { registry throws(KeyProblem) in
      try registry.refuseTwin(keyID)
      try KeyProblem.wrapping { () throws(SigningFailure) in try KeyFile.write(text, to: path, mode: 0o644) }
      return try registry.add(Entry(key: key, p8: nil, publicKey: path), with: path)
    }
  }

  /// Unregisters a key, and deletes its file if Pushpit has written it. A file that the user has registered is kept.
  public mutating func remove(_ keyID: String) throws(KeyProblem) {
    try change { registry throws(KeyProblem) in
      guard let entry = registry.entries.first(where: { $0.keyID == keyID }) else {
        throw KeyProblem("there is no key \(keyID); registered keys: \(registry.listed).", kind: .unknown)
      }
      registry.entries.removeAll { $0.keyID == keyID }
      try registry.save()
      guard let file = registry.ownFile(of: entry) else { return }
      try KeyProblem.wrapping { () throws(SigningFailure) in try KeyFile.remove(file) }
    }
  }

  // MARK: - Details

  private func privatePath(_ keyID: String) -> String { folder.path + "/AuthKey_\(keyID).p8" }
  private func publicPath(_ keyID: String) -> String { folder.path + "/PublicKey_\(keyID).pem" }

  /// The file that Pushpit has written for a key in this folder; nil if the user owns it. The list of a copied folder
  /// names files of the other folder, which are not its own.
  private func ownFile(of entry: Entry) -> String? {
    if entry.isMade { return entry.p8 == privatePath(entry.keyID) ? entry.p8 : nil }
    return entry.publicKey == publicPath(entry.keyID) ? entry.publicKey : nil
  }

  /// Changes the current list, which may differ from the one that this value has read.
  private mutating func change<Result>(
    _ body: (inout KeyRegistry) throws(KeyProblem) -> Result
  ) throws(KeyProblem) -> Result {
    let folder = self.folder
    let lock = try KeyProblem.wrapping { () throws(SigningFailure) in
      try folder.prepare()
      return try FolderLock(folder.path, while: folder.isAwaited)
    }
    return try lock.hold { () throws(KeyProblem) in
      self = try KeyRegistry(folder)
      return try body(&self)
    }
  }

  private mutating func make(_ key: ProviderKey) throws(KeyProblem) -> Entry {
    try refuseTwin(key.keyID)
    let path = privatePath(key.keyID)
    try KeyProblem.wrapping { () throws(SigningFailure) in
      try KeyFile.write(try SigningKey.generate().p8, to: path)
    }
    return try add(Entry(key: key, p8: path, publicKey: nil, isMade: true), with: path)
  }

  /// - Parameter file: a file that was written for the key; it is removed if the key cannot be added.
  private mutating func add(_ entry: Entry, with file: String? = nil) throws(KeyProblem) -> Entry {
    try refuseTwin(entry.keyID)
    entries.append(entry)
    do throws(KeyProblem) {
      try save()
    } catch {
      if let file { try? KeyFile.remove(file) }
      throw error
    }
    return entry
  }

  /// The ids of the keys, for a sentence.
  var listed: String { entries.isEmpty ? "none" : entries.map(\.keyID).joined(separator: ", ") }

  private func refuseTwin(_ keyID: String) throws(KeyProblem) {
    guard !entries.contains(where: { $0.keyID == keyID }) else {
      throw KeyProblem("the key \(keyID) is already registered; `pushpit keys remove \(keyID)` unregisters it.")
    }
  }

  private func save() throws(KeyProblem) {
    let list = JSONValue.object([.init("keys", .array(entries.map(Self.json)))])
    let folder = self.folder
    try KeyProblem.wrapping { () throws(SigningFailure) in
      try KeyFile.write(list.text + "\n", to: folder.keyListPath, limit: StateList.longest)
    }
  }

  /// Checks user input; the problem's place is the flag.
  public static func checkWords(
    keyID: String?, teamID: String?, environment: String
  ) throws(InputProblem) {
    for (flag, what, id) in [("--key-id", "key id", keyID), ("--team-id", "team id", teamID)] {
      guard let id, !isIdentifier(id) else { continue }
      throw InputProblem(flag, "a \(what) must be 1 to 64 letters and digits (Apple's have ten), not \"\(id)\".")
    }
    guard KeySettings.environments(environment) != nil else {
      throw InputProblem(
        "--environment",
        "the environment of a key must be sandbox, production or both, not \"\(environment)\""
          + Wording.suggestion(for: environment, among: ["sandbox", "production", "both"]))
    }
  }

  private static func providerKey(
    _ keyID: String, teamID: String?, environment: String, topics: [String], related: String?
  ) throws(KeyProblem) -> ProviderKey {
    let team = teamID ?? FleetPlan.standardTeam
    do {
      try checkWords(keyID: keyID, teamID: team, environment: environment)
    } catch {
      throw KeyProblem(error.sentence)
    }
    let environments = KeySettings.environments(environment) ?? []
    return ProviderKey(
      keyID: keyID, teamID: team, environments: environments, topics: topics.isEmpty ? nil : topics,
      relatedKeyID: related)
  }

  private static func isIdentifier(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }

  /// Ten capital letters and digits, like Apple's key ids.
  private static func randomID() -> String {
    String((0..<10).map { _ in "ABCDEFGHJKLMNPQRSTUVWXYZ23456789".randomElement() ?? "X" })
  }

  private static func json(_ entry: Entry) -> JSONValue {
    [
      "keyId": .string(entry.keyID), "teamId": .string(entry.teamID), "environment": .string(entry.environment),
      "topics": .array(entry.topics.map(JSONValue.string)), "related": JSONValue(entry.key.relatedKeyID),
      "p8": JSONValue(entry.p8), "publicKey": JSONValue(entry.publicKey),
      "made": .bool(entry.isMade),
    ]
  }

  private static func entry(_ entry: StateEntry) throws(StateEntry.Flaw) -> Entry {
    let keyID = try entry.neededText("keyId")
    let (teamID, environment) = (try entry.text("teamId"), try entry.neededText("environment"))
    let (topics, related) = (try entry.texts("topics") ?? [], try entry.text("related"))
    let (p8, publicKey) = (try entry.text("p8"), try entry.text("publicKey"))
    guard p8 != nil || publicKey != nil else {
      throw entry.flaw("(the key \(keyID)) needs p8 or publicKey, the path of its file.")
    }
    let isMade = try entry.truth("made") ?? false
    do throws(KeyProblem) {
      let key = try providerKey(keyID, teamID: teamID, environment: environment, topics: topics, related: related)
      return Entry(key: key, p8: p8, publicKey: publicKey, isMade: isMade)
    } catch {
      throw entry.flaw("is wrong: \(error)")
    }
  }
}

/// The reason why a provider key cannot be used, as a sentence.
public struct KeyProblem: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
  /// The kind of problem for an order that was to change the keys.
  let kind: CommandProblem.Kind
  /// True if the order is valid, but the folder has no such key, or is in use.
  package var isOfState: Bool { kind == .unknown || kind == .busy }

  init(_ sentence: String, kind: CommandProblem.Kind = .impossible) {
    description = sentence
    self.kind = kind
  }

  private init(_ failure: SigningFailure) { self.init(failure.description, kind: failure.kind) }

  fileprivate init(_ problem: StateList.Problem) { self.init(problem.description, kind: .failed) }

  static func wrapping<Result: ~Copyable>(_ body: () throws(SigningFailure) -> Result) throws(KeyProblem) -> Result {
    do {
      return try body()
    } catch {
      throw KeyProblem(error)
    }
  }
}
