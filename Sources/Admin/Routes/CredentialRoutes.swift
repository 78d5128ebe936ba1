import APNs
import Grammar
import Scenarios
import Simulation
import WireFormats

/// Provider keys and certificates: listing, adding and revoking them on a running server.
enum CredentialRoutes {
  static func keys(_ context: inout AdminContext, _ simulator: inout Simulator) -> AdminReply {
    let (server, request) = (context.server, context.request)
    return .apart { _ in
      let description = server()
      return .json(["keys": .array(values(description.keys, of: description, for: request))])
    }
  }

  private static let mostTopics = 1000

  static func addKey(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let request = try context.read(RequestBody.key) { fields throws(InputProblem) in
      let pem = try fields.text("pem")
      let keyID = pem == nil ? try fields.text("keyId") : try fields.needed("keyId", "the `kid` of its provider tokens")
      let environments = ["sandbox", "production", "both"].map { (name: $0, value: $0) }
      if let topics = fields.json("topics")?.elements, topics.count > mostTopics {
        throw fields.problem("topics", "topics must be a list of at most \(mostTopics) bundle ids.")
      }
      return KeyRequest(
        keyID: keyID, teamID: try fields.text("teamId"),
        environment: try fields.choice("environment", environments) ?? "both",
        topics: try fields.texts("topics") ?? [], related: try fields.text("related"), pem: pem)
    }
    let (credentials, server, asked) = (try Self.credentials(context), context.server, context.request)
    return change({ isAwaited throws(CommandProblem) in try credentials.addKey(request, while: isAwaited) }) { orders in
      let description = server()
      guard case .addKey(let key, _)? = orders.first else { return .json([:], status: 201) }
      let added = description.keys.filter { $0.keyID == key.keyID }
      return .json(values(added, of: description, for: asked).first ?? [:], status: 201)
    }
  }

  static func revokeKey(
    _ context: inout AdminContext, _ simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    let (credentials, keyID) = (try Self.credentials(context), context.captures[0])
    return change({ isAwaited throws(CommandProblem) in try credentials.revokeKey(keyID, while: isAwaited) }) { _ in
      .deleted([keyID])
    }
  }

  static func reloadKeys(
    _ context: inout AdminContext, _ simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    let credentials = try Self.credentials(context)
    return change({ _ throws(CommandProblem) in try credentials.reloadKeys() }) { orders in
      var added: [JSONValue] = []
      var deleted: [JSONValue] = []
      for order in orders {
        if case .addKey(let key, _) = order { added.append(.string(key.keyID)) }
        if case .revokeKey(let id) = order { deleted.append(.string(id)) }
      }
      return .json(["added": .array(added), "deleted": .array(deleted)])
    }
  }

  static func certificates(
    _ context: inout AdminContext, _ simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    let credentials = try Self.credentials(context)
    return .apart { _ throws(AdminProblem) in
      let found = try AdminProblem.wrapping { () throws(CommandProblem) in try credentials.certificates() }
      return .json(["certificates": .array(found)])
    }
  }

  static func addCertificate(
    _ context: inout AdminContext, _ simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    let request = try context.read(RequestBody.certificate) { fields throws(InputProblem) -> CertificateRequest in
      guard fields.has("pem") else {
        let kinds = ["universal", "development", "production", "voip", "mdm"].map { (name: $0, value: $0) }
        let kind = try fields.choice("kind", kinds) ?? "universal"
        let isManagement = kind == "mdm"
        return .make(
          kind: kind,
          topic: isManagement ? try fields.text("topic") : try fields.needed("topic", "the bundle id of an app"))
      }
      // Not read as a text, because it is longer than texts may be.
      guard let pem = fields.json("pem")?.string else {
        throw fields.problem("pem", "pem must be a string.", code: .wrongType)
      }
      return .register(pem: pem)
    }
    let credentials = try Self.credentials(context)
    return .apart { isAwaited throws(AdminProblem) in
      let added = try AdminProblem.wrapping { () throws(CommandProblem) in
        try credentials.addCertificate(request, while: isAwaited)
      }
      return .json(status: 201, added)
    }
  }

  static func revokeCertificate(
    _ context: inout AdminContext, _ simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    let (credentials, name) = (try Self.credentials(context), context.captures[0])
    return .apart { isAwaited throws(AdminProblem) in
      let found = try AdminProblem.wrapping { () throws(CommandProblem) in
        try credentials.revokeCertificate(name, while: isAwaited)
      }
      return carryOut(found.orders) { _ in .deleted([found.fingerprint]) }
    }
  }

  // MARK: - Details

  private static func credentials(_ context: AdminContext) throws(AdminProblem) -> any ProviderCredentials {
    guard let found = context.server().credentials else {
      throw AdminProblem(501, "This server has no state folder, so its keys and certificates cannot be changed.")
    }
    return found
  }

  private typealias Answer = @Sendable (_ orders: [Command]) -> AdminResponse

  /// Changes the files first, and then the world, so that the answer still holds after a restart.
  private static func change(
    _ body: @escaping @Sendable (_ isAwaited: @escaping StillAwaited) throws(CommandProblem) -> [Command],
    _ answer: @escaping Answer
  ) -> AdminReply {
    .apart { isAwaited throws(AdminProblem) in
      carryOut(try AdminProblem.wrapping { () throws(CommandProblem) in try body(isAwaited) }, answer)
    }
  }

  private static func carryOut(_ orders: [Command], _ answer: @escaping Answer) -> AdminReply {
    .more { (context, simulator) throws(AdminProblem) in
      let now = simulator.now(wall: context.wall)
      for order in orders {
        try AdminProblem.wrapping { () throws(CommandProblem) in _ = try simulator.world.perform(order, at: now) }
      }
      context.settle(&simulator)
      return .response { answer(orders) }
    }
  }

  /// The keys as this client may see them.
  private static func values(
    _ keys: [ServerDescription.Key], of server: ServerDescription, for request: AdminRequest
  ) -> [JSONValue] {
    // Asked once for all keys, and only if it matters.
    let isOwners = server.sharesKeys || keys.contains { $0.privateKey != nil } && request.isOwners()
    return keys.map { value($0, isOwners: isOwners) }
  }

  private static func value(_ key: ServerDescription.Key, isOwners: Bool) -> JSONValue {
    var text: String?
    var withheld: String?
    if let read = key.privateKey {
      if isOwners { text = try? read() }
      if text == nil { withheld = isOwners ? "Its file cannot be read, or is not a key." : notOwners }
    } else {
      withheld = "Pushpit did not make this key; only keys that it made can be downloaded."
    }
    return [
      "keyId": .string(key.keyID), "teamId": .string(key.teamID), "environment": .string(key.environment),
      "topics": .array(key.topics.map(JSONValue.string)), "p8": JSONValue(text), "withheld": JSONValue(withheld),
    ]
  }

  private static let notOwners =
    "Private keys are returned only to the user who runs Pushpit, on the same machine and not through a container's"
    + " port; listen.shareKeys (--share-keys) returns them to everyone who can reach the admin API."
}
