import WireFormats

/// The line of JSON that a server prints on standard output when it is ready, for programs.
public struct ReadyLine: Sendable {
  public struct Key: Sendable {
    public let keyID: String
    public let teamID: String
    public let environment: String
    /// Path of the private key, if Pushpit has it.
    public let p8: String?

    init(_ entry: KeyRegistry.Entry) {
      keyID = entry.keyID
      teamID = entry.teamID
      environment = entry.environment
      p8 = entry.p8
    }
  }

  /// Addresses as `host:port`.
  public let sandbox: String
  public let production: String
  /// Channel management of the sandbox.
  public let channels: String
  public let productionChannels: String
  /// The listener for load balancers that end TLS; nil without the setting `listen.relay`.
  public let relay: String?
  /// URL of the admin API.
  public let admin: String
  /// PEM file of the certificate authority that clients must trust.
  public let authority: String
  /// PEM file of the authority that signs the server's certificate if `chain` is `secondRoot`.
  public let secondAuthority: String
  /// The setting `wire.chain`; `sound` if clients must accept the server's certificate.
  public let chain: String
  public let keys: [Key]
  public let devices: UInt32
  public let seed: UInt64
  /// The setting `fleet.cell`, such as `3/16`; nil for the whole fleet.
  public let cell: String?

  /// Number of the form of the ready line and the admin API: programs of another number must not use the server.
  package static let protocolNumber = 1

  public var text: String { value.text }

  var value: JSONValue {
    [
      "protocol": JSONValue(Self.protocolNumber),
      "listeners": listeners,
      "admin": .string(admin),
      "ca": .string(authority),
      "secondCa": .string(secondAuthority),
      "chain": .string(chain),
      "keys": Self.value(keys),
      "fleet": fleet,
      "version": .string(Version.text),
    ]
  }

  static func value(_ keys: [Key]) -> JSONValue {
    .array(
      keys.map { key in
        [
          "keyId": .string(key.keyID), "teamId": .string(key.teamID), "environment": .string(key.environment),
          "p8": JSONValue(key.p8),
        ]
      })
  }

  private var listeners: JSONValue {
    var members: [JSONValue.Member] = [
      .init("sandbox", .string(sandbox)), .init("production", .string(production)),
      .init("channels", .string(channels)), .init("productionChannels", .string(productionChannels)),
    ]
    if let relay { members.append(.init("relay", .string(relay))) }
    return .object(members)
  }

  private var fleet: JSONValue {
    var members: [JSONValue.Member] = [
      .init("devices", .integer(Int64(devices))), .init("seed", .integer(Int64(clamping: seed))),
    ]
    if let cell { members.append(.init("cell", .string(cell))) }
    return .object(members)
  }
}
