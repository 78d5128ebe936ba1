import APNs
import Configuration
import Grammar
import Signing
import Simulation
import Timeline
import WireFormats

/// The list of provider certificates in the state folder, as Apple's portal has one.
public struct ProviderCertificateRegistry: Sendable {
  public struct Entry: Sendable {
    /// SHA-256 over the certificate, in hex.
    public let fingerprint: String
    public let commonName: String
    public let topics: [String]
    public let environments: [String]
    /// Unix seconds.
    let notAfter: Int64
    /// The PEM file; nil if a newer certificate has replaced it.
    public fileprivate(set) var file: String?
    /// True if the user has registered the certificate; otherwise Pushpit has made it.
    public let isRegistered: Bool
    public fileprivate(set) var isRevoked: Bool

    /// True if the certificate has expired, by the machine's clock.
    public var isExpired: Bool { notAfter < SystemClock.now.seconds }
  }

  /// Apple's certificates are valid for a year and a month. In seconds.
  private static let life: Int64 = 395 * 86400
  private static let day: Int64 = 86400
  private let folder: StateFolder
  public private(set) var entries: [Entry]

  /// Reads the list; a state folder without one has no certificates.
  public init(_ folder: StateFolder) throws(ProviderCertificateProblem) {
    self.folder = folder
    do throws(StateList.Problem) {
      entries = try folder.providerList.read(Self.entry)
    } catch {
      throw ProviderCertificateProblem(error)
    }
  }

  /// Makes a certificate and its key, as the portal does, and writes both to a PEM file and a PKCS#12 file.
  public mutating func make(_ order: ProviderCertificateOrder) throws(ProviderCertificateProblem) -> Entry {
    try make(order, for: nil)
  }

  /// Makes a certificate for a given key, or with a new key if `key` is nil.
  mutating func make(
    _ order: ProviderCertificateOrder, for key: RSAKey?
  ) throws(ProviderCertificateProblem) -> Entry {
    try change { registry throws(ProviderCertificateProblem) in
      try ProviderCertificateProblem.wrapping { () throws(SigningFailure) in try registry.made(order, for: key) }
    }
  }

  /// Registers an existing certificate, PEM or PKCS#12. Its key is not copied.
  public mutating func register(file: String, password: String) throws(ProviderCertificateProblem) -> Entry {
    let path = AbsolutePath.of(file)
    let read = try ProviderCertificateProblem.wrapping { () throws(SigningFailure) in
      try ProviderCertificateFile.read(try KeyFile.readBytes(path), password: password, from: path)
    }
    let entry = Self.entry(read, file: path, isRegistered: true)
    return try change { registry throws(ProviderCertificateProblem) in
      try ProviderCertificateProblem.wrapping { () throws(SigningFailure) in try registry.add(entry) }
      return entry
    }
  }

  /// Registers a certificate given as PEM; a key beside it is not kept.
  mutating func register(pem: String) throws(ProviderCertificateProblem) -> Entry {
    let path = folder.providersPath
    let read = try ProviderCertificateProblem.wrapping { () throws(SigningFailure) in
      try ProviderCertificateFile.read(pem: pem, from: "pem")
    }
    let file = "\(path)/\(read.fingerprint.prefix(16)).pem"
    let entry = Self.entry(read, file: file, isRegistered: true)
    return try change { registry throws(ProviderCertificateProblem) in
      try ProviderCertificateProblem.wrapping { () throws(SigningFailure) in
        try KeyFile.makeDirectory(path)
        try registry.add(entry, with: [(file, Array(read.certificate.pem.utf8), 0o644)])
      }
      return entry
    }
  }

  /// Revokes a certificate, by its file or the beginning of its fingerprint.
  public mutating func revoke(_ name: String) throws(ProviderCertificateProblem) -> Entry {
    try change { registry throws(ProviderCertificateProblem) in
      let place = try registry.place(of: name)
      registry.entries[place].isRevoked = true
      try ProviderCertificateProblem.wrapping { () throws(SigningFailure) in try registry.save() }
      return registry.entries[place]
    }
  }

  /// The authority's certificate; nil until it is made.
  static func authority(of folder: StateFolder) throws(ProviderCertificateProblem) -> Certificate? {
    let path = folder.providerAuthorityPath
    guard folder.exists(path) else { return nil }
    return try ProviderCertificateProblem.wrapping { () throws(SigningFailure) in
      try Certificate(pem: try KeyFile.read(path), from: path)
    }
  }

  // MARK: - Details

  /// Minimum number of digits of a fingerprint that identify a certificate.
  private static let fewestDigits = 6

  private func place(of name: String) throws(ProviderCertificateProblem) -> Int {
    let path = AbsolutePath.of(name)
    let pem = path.hasSuffix(".p12") ? path.dropLast(4) + ".pem" : path
    let digits = name.lowercased()
    let found = entries.indices.filter { place in
      entries[place].file == pem || entries[place].file == path
        || digits.count >= Self.fewestDigits && entries[place].fingerprint.hasPrefix(digits)
    }
    guard let place = found.first else {
      throw ProviderCertificateProblem(
        "there is no certificate \(name); `pushpit certs list` lists them with their fingerprints and files.",
        kind: .unknown)
    }
    guard found.count == 1 else {
      throw ProviderCertificateProblem("\(name) matches \(found.count) certificates; use more digits.")
    }
    return place
  }

  /// Reads the list again and changes it; another process may have changed it since this value was made.
  private mutating func change<Result>(
    _ body: (inout ProviderCertificateRegistry) throws(ProviderCertificateProblem) -> Result
  ) throws(ProviderCertificateProblem) -> Result {
    let folder = self.folder
    let lock = try ProviderCertificateProblem.wrapping { () throws(SigningFailure) in
      try folder.prepare()
      return try FolderLock(folder.path, while: folder.isAwaited)
    }
    return try lock.hold { () throws(ProviderCertificateProblem) in
      self = try ProviderCertificateRegistry(folder)
      return try body(&self)
    }
  }

  private mutating func made(_ order: ProviderCertificateOrder, for key: RSAKey?) throws(SigningFailure) -> Entry {
    let now = SystemClock.now.seconds
    let expired = order.flaw == .expired
    let request = order.request(
      notBefore: expired ? now - 2 * Self.day : now - 3600, notAfter: expired ? now - Self.day : now + Self.life)
    let authority =
      order.flaw == .unknownAuthority
      ? try ProviderAuthority.make(notBefore: now - Self.day, notAfter: now + Self.life) : try authority(at: now)
    let identity = try authority.issue(request, for: key)
    try KeyFile.makeDirectory(folder.providersPath)
    let path = "\(folder.providersPath)/\(order.fileName)"
    var entry = Self.entry(identity.certificate, file: path + ".pem", isRegistered: false)
    entry.isRevoked = order.flaw == .revoked
    let bundle = try identity.pkcs12(password: order.password)
    try add(entry, with: [(path + ".p12", bundle, 0o600), (path + ".pem", Array(identity.pem.utf8), 0o600)])
    return entry
  }

  private func authority(at now: Int64) throws(SigningFailure) -> ProviderAuthority {
    let (path, keyPath) = (folder.providerAuthorityPath, folder.providerAuthorityKeyPath)
    if folder.exists(path), folder.exists(keyPath) {
      let certificate = try Certificate(pem: try KeyFile.read(path), from: path)
      if certificate.notAfter > now + Self.life {
        return ProviderAuthority(
          certificate: certificate, key: try SigningKey(p8: try KeyFile.read(keyPath), from: keyPath))
      }
    }
    // Much longer than the life of a certificate, so that it signs many.
    let made = try ProviderAuthority.make(notBefore: now - Self.day, notAfter: now + 10 * Self.life)
    try KeyFile.write(made.key.p8, to: keyPath)
    try KeyFile.write(made.certificate.pem, to: path, mode: 0o644)
    return made
  }

  /// Adds an entry and writes its files. If it cannot be added, files that did not exist before are removed.
  private mutating func add(
    _ entry: Entry, with files: [(path: String, bytes: [UInt8], mode: UInt16)]
  ) throws(SigningFailure) {
    let folder = self.folder
    let new = files.map(\.path).filter { !folder.exists($0) }
    do throws(SigningFailure) {
      for file in files { try KeyFile.write(file.bytes, to: file.path, mode: file.mode) }
      try add(entry)
    } catch {
      for path in new { try? KeyFile.remove(path) }
      throw error
    }
  }

  private mutating func add(_ entry: Entry) throws(SigningFailure) {
    entries.removeAll { $0.fingerprint == entry.fingerprint }
    for place in entries.indices where entries[place].file == entry.file { entries[place].file = nil }
    entries.append(entry)
    // The other half is reserved for marks of revoked certificates.
    try save(limit: StateList.longest / 2)
  }

  private func save(limit: Int = StateList.longest) throws(SigningFailure) {
    let list = JSONValue.object([.init("certificates", .array(entries.map(Self.json)))])
    try KeyFile.write(list.text + "\n", to: folder.providerListPath, limit: limit)
  }

  private static func entry(_ certificate: PushCertificate, file: String, isRegistered: Bool) -> Entry {
    Entry(
      fingerprint: certificate.fingerprint, commonName: certificate.commonName ?? "",
      topics: certificate.allTopics,
      environments: Environment.allCases.filter(certificate.environments.contains).map(\.rawValue),
      notAfter: certificate.certificate.notAfter, file: file, isRegistered: isRegistered, isRevoked: false)
  }

  private static func json(_ entry: Entry) -> JSONValue {
    [
      "fingerprint": .string(entry.fingerprint), "commonName": .string(entry.commonName),
      "topics": .array(entry.topics.map(JSONValue.string)),
      "environments": .array(entry.environments.map(JSONValue.string)), "notAfter": .integer(entry.notAfter),
      "file": JSONValue(entry.file), "registered": .bool(entry.isRegistered), "revoked": .bool(entry.isRevoked),
    ]
  }

  private static func entry(_ entry: StateEntry) throws(StateEntry.Flaw) -> Entry {
    let fingerprint = try entry.neededText("fingerprint")
    guard fingerprint.utf8.count == 64, fingerprint.utf8.allSatisfy(Array("0123456789abcdef".utf8).contains) else {
      throw entry.flaw("has a wrong fingerprint: it must be 64 hexadecimal digits in lower case.")
    }
    return Entry(
      fingerprint: fingerprint, commonName: try entry.text("commonName") ?? "", topics: try entry.texts("topics") ?? [],
      environments: try entry.texts("environments", among: Environment.allCases.map(\.rawValue)) ?? [],
      notAfter: try entry.neededInteger("notAfter"), file: try entry.text("file"),
      isRegistered: try entry.neededTruth("registered"), isRevoked: try entry.neededTruth("revoked"))
  }
}

/// The reason why a provider's certificate cannot be made, read or revoked, in a sentence.
public struct ProviderCertificateProblem: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
  /// The kind of problem for an order that was to change the certificates.
  let kind: CommandProblem.Kind
  /// True if the order is valid, but the folder has no such certificate, or is in use.
  package var isOfState: Bool { kind == .unknown || kind == .busy }

  init(_ sentence: String, kind: CommandProblem.Kind = .impossible) {
    description = sentence
    self.kind = kind
  }

  private init(_ failure: SigningFailure) { self.init(failure.description, kind: failure.kind) }

  fileprivate init(_ problem: StateList.Problem) { self.init(problem.description, kind: .failed) }

  static func wrapping<Result: ~Copyable>(
    _ body: () throws(SigningFailure) -> Result
  ) throws(ProviderCertificateProblem) -> Result {
    do {
      return try body()
    } catch {
      throw ProviderCertificateProblem(error)
    }
  }
}
