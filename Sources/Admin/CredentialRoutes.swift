import APNs
import Grammar
import Simulation
import WireFormats

/// Provider keys and certificates: listing, adding and revoking them on a running server.
enum CredentialRoutes {
  /// Keys are read from their files after the lock is released.
  static func keys(_ context: inout AdminContext, _ simulator: inout Simulator) -> AdminReply {
    let server = context.server
    return .response {
      let description = server()
      return .json(["keys": .array(description.keys.map { value($0, withheld: description.withheld) })])
    }
  }

  static func addKey(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let request = try context.read(RequestBody.key) { fields throws(InputProblem) in
      let pem = try fields.text("pem")
      let keyID = pem == nil ? try fields.text("keyId") : try fields.needed("keyId", "the `kid` of its provider tokens")
      let environments = ["sandbox", "production", "both"].map { (name: $0, value: $0) }
      return KeyRequest(
        keyID: keyID, teamID: try fields.text("teamId"),
        environment: try fields.choice("environment", environments) ?? "both",
        topics: try fields.texts("topics") ?? [], related: try fields.text("related"), pem: pem)
    }
    let (credentials, server) = (try Self.credentials(context), context.server)
    return change({ () throws(CommandProblem) in try credentials.addKey(request) }) { orders in
      let description = server()
      guard case .addKey(let key, _)? = orders.first,
        let added = description.keys.first(where: { $0.keyID == key.keyID })
      else { return .json([:], status: 201) }
      return .json(value(added, withheld: description.withheld), status: 201)
    }
  }

  static func revokeKey(
    _ context: inout AdminContext, _ simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    let (credentials, keyID) = (try Self.credentials(context), context.captures[0])
    return change({ () throws(CommandProblem) in try credentials.revokeKey(keyID) }) { _ in
      .json(["revoked": .string(keyID)])
    }
  }

  static func reloadKeys(
    _ context: inout AdminContext, _ simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    let credentials = try Self.credentials(context)
    return change({ () throws(CommandProblem) in try credentials.reloadKeys() }) { orders in
      var added: [JSONValue] = []
      var revoked: [JSONValue] = []
      for order in orders {
        if case .addKey(let key, _) = order { added.append(.string(key.keyID)) }
        if case .revokeKey(let id) = order { revoked.append(.string(id)) }
      }
      return .json(["added": .array(added), "revoked": .array(revoked)])
    }
  }

  static func certificates(
    _ context: inout AdminContext, _ simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    let credentials = try Self.credentials(context)
    return .apart { () throws(AdminProblem) in
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
    return .apart { () throws(AdminProblem) in
      let added = try AdminProblem.wrapping { () throws(CommandProblem) in try credentials.addCertificate(request) }
      return .json(status: 201, added)
    }
  }

  static func revokeCertificate(
    _ context: inout AdminContext, _ simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    let (credentials, name) = (try Self.credentials(context), context.captures[0])
    return .apart { () throws(AdminProblem) in
      let found = try AdminProblem.wrapping { () throws(CommandProblem) in try credentials.revokeCertificate(name) }
      return carryOut(found.orders) { _ in .json(["revoked": .string(found.fingerprint)]) }
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
    _ body: @escaping @Sendable () throws(CommandProblem) -> [Command], _ answer: @escaping Answer
  ) -> AdminReply {
    .apart { () throws(AdminProblem) in
      carryOut(try AdminProblem.wrapping { () throws(CommandProblem) in try body() }, answer)
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

  private static func value(_ key: ServerDescription.Key, withheld: String?) -> JSONValue {
    let text: String?
    var reason = withheld
    switch (withheld, key.privateKey) {
    case (nil, let read?):
      text = try? read()
      if text == nil { reason = "Its file cannot be read." }
    case (_, nil):
      text = nil
      reason = "Pushpit did not make this key; only keys that it made can be downloaded."
    case (_?, _): text = nil
    }
    return [
      "keyId": .string(key.keyID), "teamId": .string(key.teamID), "environment": .string(key.environment),
      "topics": .array(key.topics.map(JSONValue.string)), "p8": JSONValue(text), "withheld": JSONValue(reason),
    ]
  }
}
