import APNs
import Grammar
import Scenarios
import Simulation
import WireFormats

/// Provider keys and certificates: listing, adding and revoking them on a running server.
enum CredentialRoutes {
  static let routes: [Route] = [
    Route(
      "GET /v1/keys", id: "getKeys", tag: .about, summary: "its provider keys; private ones only if Pushpit made them",
      answer: keys
    )
    .meaning(
      """
      Private keys are included only if Pushpit made them, and only for clients of the same user on the same
      machine, or with `listen.shareKeys` (`--share-keys`) for all. A server in a container sees clients
      outside as strangers.
      """
    )
    .answers(.json("The keys.", .object([.init("keys", .list(of: key.schema))])), .busy),
    Route("POST /v1/keys", id: "addKey", tag: .about, summary: "register or make a provider key", answer: addKey)
      .meaning(
        """
        With `pem`, an existing key is registered by its public half; without it, Pushpit makes one. The next
        provider token that it signed is accepted. The key is kept in the state folder for the next start. A
        server accepts 10,000 keys, including revoked ones.
        """
      )
      .body(.key)
      .answers(.created("The key.", key.schema), .conflict, .folderFailed, .noFolder, .busy),
    Route(
      "POST /v1/keys/reload", id: "reloadKeys", tag: .about,
      summary: "apply what `pushpit keys` has changed in the state folder",
      answer: reloadKeys
    )
    .meaning(
      """
      Compares the list of keys in the state folder with the keys of the server. `pushpit keys make`, `add`
      and `remove` send this request to the server of their state folder. Keys of the settings file stay as
      they are.
      """
    )
    .answers(
      .json(
        "The ids of the keys that were added, and of those that were revoked.",
        .object([.init("added", .list(of: .string)), .init("deleted", Answer.deletedNames)])),
      .notPossible, .folderFailed, .noFolder,
      .busy),
    Route("DELETE /v1/keys/{keyId}", id: "revokeKey", tag: .about, summary: "revoke a provider key", answer: revokeKey)
      .meaning(
        """
        Its provider tokens get 403 `InvalidProviderToken` from the next push on, also on connections where they
        were accepted before. The file of a key that Pushpit made is deleted. A key of the settings file is
        valid again after a restart.
        """
      )
      .takes(.path("keyId", .string, meaning: "The id of the key."))
      .answers(.deleted, .notFound, .notPossible, .folderFailed, .noFolder, .busy),
    Route(
      "GET /v1/certificates", id: "listCertificates", tag: .about, summary: "the provider certificates",
      answer: certificates
    )
    .answers(
      .json("Those that Pushpit made and those that were registered.", list.schema), .folderFailed, .noFolder,
      .busy),
    Route(
      "POST /v1/certificates", id: "addCertificate", tag: .about, summary: "register or make a provider certificate",
      answer: addCertificate
    )
    .meaning(
      """
      With `pem`, an existing certificate is registered; a key beside it is not kept. Without it, Pushpit
      makes one for `topic`, with its key in `file` of the state folder. The next connection with it is
      accepted.
      """
    )
    .body(.certificate)
    .answers(.created("The certificate.", certificate.schema), .folderFailed, .noFolder, .busy),
    Route(
      "DELETE /v1/certificates/{fingerprint}", id: "revokeCertificate", tag: .about,
      summary: "revoke a provider certificate",
      answer: revokeCertificate
    )
    .meaning(
      """
      New connections with it are rejected with `BadCertificate`, and so is the next push on open ones, which
      end with GOAWAY.
      """
    )
    .takes(
      .path(
        "fingerprint", .string, meaning: "The SHA-256 of the certificate in hexadecimal; its first six digits or more.")
    )
    .answers(.deleted, .notFound, .folderFailed, .noFolder, .busy),
  ]

  static func keys(_ context: inout AdminContext, _ simulator: inout Simulator) -> AdminReply {
    let (server, request) = (context.server, context.request)
    return .apart { _ in
      let description = server()
      return .json(["keys": .array(values(description.keys, of: description, for: request))])
    }
  }

  static func addKey(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let request = try context.read(RequestBody.key) { fields throws(InputProblem) in
      let pem = try fields.text("pem")
      let keyID = pem == nil ? try fields.text("keyId") : try fields.needed("keyId", "the `kid` of its provider tokens")
      if let topics = fields.json("topics")?.elements, topics.count > KeyRequest.mostTopics {
        throw fields.problem("topics", "topics must be a list of at most \(KeyRequest.mostTopics) bundle ids.")
      }
      return KeyRequest(
        keyID: keyID, teamID: try fields.text("teamId"),
        environment: try fields.word("environment", among: KeyRequest.environments) ?? "both",
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
      return .json(list.json(found))
    }
  }

  static func addCertificate(
    _ context: inout AdminContext, _ simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    let request = try context.read(RequestBody.certificate) { fields throws(InputProblem) -> CertificateRequest in
      guard fields.has("pem") else {
        let kind = try fields.word("kind", among: CertificateRequest.kinds) ?? "universal"
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
      return .json(status: 201, certificate.json(added))
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

  private typealias Writing = @Sendable (_ orders: [Command]) -> AdminResponse

  /// Changes the files first, and then the world, so that the answer still holds after a restart.
  private static func change(
    _ body: @escaping @Sendable (_ isAwaited: @escaping StillAwaited) throws(CommandProblem) -> [Command],
    _ answer: @escaping Writing
  ) -> AdminReply {
    .apart { isAwaited throws(AdminProblem) in
      carryOut(try AdminProblem.wrapping { () throws(CommandProblem) in try body(isAwaited) }, answer)
    }
  }

  private static func carryOut(_ orders: [Command], _ answer: @escaping Writing) -> AdminReply {
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

  private static func value(_ listed: ServerDescription.Key, isOwners: Bool) -> JSONValue {
    var text: String?
    var withheld: String?
    if let read = listed.privateKey {
      if isOwners { text = try? read() }
      if text == nil { withheld = isOwners ? "Its file cannot be read, or is not a key." : notOwners }
    } else {
      withheld = "Pushpit did not make this key; only keys that it made can be downloaded."
    }
    return key.json((listed, text, withheld))
  }

  private static let key = Shape<(key: ServerDescription.Key, text: String?, withheld: String?)>(
    "ProviderKey",
    members: [
      .init("keyId", .string) { .string($0.key.keyID) }, .init("teamId", .string) { .string($0.key.teamID) },
      .init("environment", .words(KeyRequest.environments)) { .string($0.key.environment) },
      .init("topics", .list(of: .string), meaning: "Empty for all topics.") {
        .array($0.key.topics.map(JSONValue.string))
      },
      .init("p8", .string.orNull, meaning: "The private key as PEM.") { JSONValue($0.text) },
      .init("withheld", .string.orNull, meaning: "Why `p8` is null.") { JSONValue($0.withheld) },
    ])

  private static let list = Shape<[ListedCertificate]>(members: [.list("certificates", of: certificate) { $0 }])

  private static let certificate = Shape<ListedCertificate>(
    "ProviderCertificate",
    members: [
      .init("fingerprint", .string, meaning: "SHA-256 over the certificate, in hex.") { .string($0.fingerprint) },
      .init("commonName", .string) { .string($0.commonName) },
      .init("topics", .list(of: .string)) { .array($0.topics.map(JSONValue.string)) },
      .init("environments", .list(of: .environment)) { .array($0.environments.map { .string($0.rawValue) }) },
      .init("state", .words(ListedCertificate.State.self)) { .string($0.state.rawValue) },
      .init("file", .string.orNull, meaning: "The PEM file in the state folder; null if a newer one has replaced it.") {
        JSONValue($0.file)
      },
    ])

  private static let notOwners =
    "Private keys are returned only to the user who runs Pushpit, on the same machine and not through a container's"
    + " port; listen.shareKeys (--share-keys) returns them to everyone who can reach the admin API."
}
