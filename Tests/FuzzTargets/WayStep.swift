import APNs
import Devices
import Grammar
import Orders
import Scenarios
import Simulation
import Timeline
import WireFormats

/// A call of the day of `WaysTarget`, the same in each of its worlds.
enum WayStep {
  /// Requests that arrive together on a connection.
  case pushes([WayPush], on: ProviderConnectionID)
  case advance(Duration, wall: Duration)
  /// A fault or a broadcast reaches further devices.
  case wave
  case perform(Command)
  case open(ProviderConnectionID, Environment, ProviderCertificate?)
  case close(ProviderConnectionID)
  case answered(push: UInt64, ProviderConnectionID, SentAnswer)

  var name: String {
    switch self {
    case .pushes(let pushes, let connection): "\(pushes.count) pushes on connection \(connection.number)"
    case .advance(let duration, let wall): "\(duration) pass, \(wall) of the machine"
    case .wave: "a wave"
    case .perform(let command): "\(command)"
    case .open(let connection, _, _): "connection \(connection.number) opens"
    case .close(let connection): "connection \(connection.number) closes"
    case .answered(let push, _, let sent): "the answer to push \(push) is \(sent)"
    }
  }

  /// Connections on which pushes arrive: two are open, the others open and close.
  private static let connections = [Town.sandbox, Town.production] + (4...6).map { ProviderConnectionID(UInt64($0)) }

  /// Reads a step: what is done, how, and more about it.
  init(_ bytes: inout Choices, in world: WayWorld) {
    let (what, how) = (Int(bytes.byte()), Int(bytes.byte()))
    let town = world.town
    switch what % 16 {
    case 0...7: self = Self.pushes(what, how, &bytes, world)
    case 8, 9:
      let walls: [Int64] = [0, 0, 0, 0, 1, 600, 1300, 3700]
      self = .advance(
        .seconds([0, 1, 5, 60, 900, 7200, 40_000, 400_000][how % 8]), wall: .seconds(walls[how / 8 % 8]))
    case 11 where how % 2 == 1, 13 where how % 8 > 3: self = Self.broadcast(how, Int(bytes.byte()), world)
    case 10, 11: self = .perform(.device(DeviceID(UInt32(how) % Town.devices), PushTarget.action(what, how)))
    case 12: self = .perform(Self.fault(how, Int(bytes.byte()), town))
    case 13: self = .perform(Self.key(how, Int(bytes.byte())))
    case 14:
      guard how % 4 > 0, let known = Self.pick(world.tokens, how / 4) else { self = .wave; return }
      let text = how % 4 == 1 ? known.token.text : String(repeating: "c0ffee0\(how / 4 % 4)", count: 8)
      let kind: TokenKind =
        switch known.slot {
        case .app: .device
        case .service(let service): .service(service)
        case .pushToStart: .pushToStart
        case .update: .update
        }
      guard let token = DeviceToken(text) else { self = .wave; return }
      let app = town.simulator.world.fleet.plan.apps[known.app].bundleID
      let type = kind == .pushToStart ? "MatchAttributes" : nil
      let device = DeviceID(UInt32(bytes.byte()) % Town.devices)
      self = .perform(.register(token, device, app: app, kind, attributesType: type, activity: nil))
    default: self = Self.wire(how, Int(bytes.byte()), town)
    }
  }

  private static func pick<Element>(_ list: [Element], _ choice: Int) -> Element? {
    list.isEmpty ? nil : list[choice % list.count]
  }

  // MARK: - Pushes

  private static func pushes(_ what: Int, _ how: Int, _ bytes: inout Choices, _ world: WayWorld) -> WayStep {
    let connection = connections[[0, 0, 0, 1, 0, 2, 3, 4][how % 8]]
    let (credential, flaw, fields) = (bytes.below(20), bytes.below(48), Int(bytes.byte()))
    let choices = (0...[0, 0, 1, 4][how / 8 % 4]).map { _ in bytes.number() }
    let own = bytes.run(.max / 2)
    guard let first = pick(world.tokens, choices[0]) else { return .wave }
    // Several devices mostly get one push, so that a template serves them.
    let alike = what % 8 == 0 ? world.tokens : world.tokens.filter { $0.app == first.app && $0.slot == first.slot }
    let targets = [first] + choices.dropFirst().compactMap { pick(alike, $0) }
    return .pushes(targets.map { push(to: $0, credential, flaw, fields, own, world) }, on: connection)
  }

  private static func push(
    to known: WayToken, _ credential: Int, _ flaw: Int, _ fields: Int, _ own: [UInt8], _ world: WayWorld
  ) -> WayPush {
    let town = world.town
    let bundle = town.simulator.world.fleet.plan.apps[known.app].bundleID
    var (method, path) = ("POST", "/3/device/" + known.token.text)
    var token: DeviceToken? = known.token
    var list = authorization(credential).map { [(name: "authorization", value: $0)] } ?? []
    var topic: String? = bundle + known.slot.suffix.text
    var body = own.isEmpty ? body(of: known.slot, fields, world) : own
    switch flaw {
    case 0: topic = nil
    case 1: topic = ""
    case 2: topic = "com.example.other"
    case 3: topic = bundle
    case 4: topic = bundle + ".voip"
    case 5: topic = "com.example.store"
    case 6: list.append((name: "apns-id", value: "EC3DDA2F-3D82-4C9A-B9F5-3B2C1A4E5D6F"))
    case 7: list.append((name: "apns-id", value: "7"))
    case 8: list.append((name: "apns-push-type", value: "none"))
    case 9: list.append((name: "apns-push-type", value: "voip"))
    case 10: list.append((name: "apns-priority", value: "7"))
    case 11: list.append((name: "apns-expiration", value: "soon"))
    case 12: list.append((name: "apns-collapse-id", value: String(repeating: "c", count: 65)))
    case 13: list.append((name: "apns-id", value: "8")); list.append((name: "apns-id", value: "8"))
    case 14: method = "GET"
    case 15: (path, token) = ("/3/device/", nil)
    case 16: path = "/4" + path
    case 17: body = []
    case 18: body += Array(repeating: 0x20, count: 5200)
    case 19:
      path = "/3/device/" + known.token.text.uppercased()
    case 20: (path, token) = ("/3/device/" + String(known.token.text.dropLast(2)), nil)
    case 21: (path, token) = ("/3/device/" + known.token.text + "zz", nil)
    default: break
    }
    if let topic { list.append((name: "apns-topic", value: topic)) }
    let priority = [nil, nil, "10", "5", "1"][fields % 5]
    if let priority, flaw != 10 { list.append((name: "apns-priority", value: priority)) }
    if flaw != 11, let expiration = [nil, nil, 0, 300][fields / 5 % 4] {
      list.append(
        (name: "apns-expiration", value: "\(expiration == 0 ? 0 : town.now.world.seconds + Int64(expiration))"))
    }
    if flaw != 12, fields / 20 % 3 == 2 { list.append((name: "apns-collapse-id", value: "c\(fields % 2)")) }
    if flaw != 8, flaw != 9, fields / 60 % 3 == 1 {
      let type = known.slot.isActivity ? "liveactivity" : known.slot == .app ? "alert" : "voip"
      list.append((name: "apns-push-type", value: type))
    }
    return WayPush(method, path, list, body, token: token, app: known.app)
  }

  private static func body(of slot: TokenSlot, _ fields: Int, _ world: WayWorld) -> [UInt8] {
    let now = world.town.now.world.seconds
    let text =
      switch slot {
      case .pushToStart:
        #"{"aps":{"timestamp":\#(now + Int64(fields % 7)),"event":"start","attributes-type":"MatchAttributes","#
          + (fields % 2 == 0 ? #""input-push-channel":"\#(world.channel)","# : "")
          + #""attributes":{},"content-state":{"score":\#(fields)},"alert":{"title":"Go","body":"!"}}}"#
      case .update:
        #"{"aps":{"timestamp":\#(now + Int64(fields % 7)),"event":"\#(fields % 9 == 0 ? "end" : "update")","#
          + #""content-state":{"score":\#(fields)}}}"#
      case .app where fields % 3 == 0: #"{"aps":{"content-available":1}}"#
      case .app, .service: #"{"aps":{"alert":"Out!","badge":\#(fields % 3)}}"#
      }
    return Array(text.utf8)
  }

  // MARK: - Broadcasts

  /// The request for a channel that stores messages.
  static let newChannel = HTTPRequest(
    "POST", "/1/apps/\(Town.app)/channels", fields: [("authorization", token("KEY0000001", Town.team))],
    body: Array(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#.utf8))

  private static func broadcast(_ how: Int, _ which: Int, _ world: WayWorld) -> WayStep {
    guard which % 6 > 1 else {
      var request = StartActivity(app: Town.app, attributesType: "MatchAttributes")
      request.order.updates = .channel(world.channel)
      let device = DeviceID(UInt32(which / 6) % Town.devices)
      return .perform(.device(device, which % 6 == 0 ? .goOffline : .start(request)))
    }
    let now = world.town.now.world.seconds
    let list = [
      (name: "authorization", value: token("KEY0000001", Town.team)), (name: "apns-channel-id", value: world.channel),
      (name: "apns-push-type", value: "liveactivity"), (name: "apns-priority", value: which % 4 == 0 ? "5" : "10"),
      (name: "apns-expiration", value: "\(how / 8 % 3 == 0 ? 0 : now + 300)"),
    ]
    let body = body(of: .update(activity: 0), which, world)
    let push = WayPush("POST", "/4/broadcasts/apps/" + Town.app, list, body, token: nil, app: 0)
    return .pushes(Array(repeating: push, count: 1 + how / 32 % 2), on: Town.sandbox)
  }

  // MARK: - Credentials

  /// A signature is valid if its bytes are 7.
  static let ring = KeyRing(
    keys: [
      ProviderKey(keyID: "KEY0000001", teamID: Town.team, environments: [.sandbox, .production]),
      ProviderKey(keyID: "KEY0000002", teamID: Town.team, environments: [.sandbox], relatedKeyID: "KEY0000001"),
      ProviderKey(
        keyID: "KEY0000003", teamID: Town.team, environments: [.sandbox, .production], topics: ["com.example.store"]),
      ProviderKey(keyID: "KEY0000004", teamID: "OTHERTEAM1", environments: [.sandbox, .production]),
    ],
    apps: [(Town.app, Town.team), ("com.example.store", Town.team), ("com.example.other", "OTHERTEAM1")],
    read: { _ in { _, signature in isGood(signature) } }
  ) { _, _, signature in
    isGood(signature)
  }

  private static func isGood(_ signature: ProviderToken.Signature) -> Bool {
    if case .raw(let bytes) = signature { bytes.allSatisfy { $0 == 7 } } else { false }
  }

  /// The value of `authorization`; nil for a request without it.
  private static func authorization(_ choice: Int) -> String? {
    switch choice {
    case 0: nil
    case 1: "bearer x.y.z"
    case 2: "basic " + token("KEY0000001", Town.team)
    case 3: token("KEY0000001", Town.team, seal: 8)
    case 4: token("KEY0000001", "OTHERTEAM1")
    case 5: token("KEY0000002", Town.team)
    case 6: token("KEY0000003", Town.team)
    case 7: token("KEY0000004", "OTHERTEAM1")
    case 8: token("KEY0000009", Town.team)
    case 9: token("KEY0000001", Town.team, issued: -3500)
    case 10: token("KEY0000001", Town.team, issued: 3700)
    case 11: token("KEY0000001", Town.team, issued: 1300).replacing("bearer", with: "Bearer")
    default: token("KEY0000001", Town.team)
    }
  }

  private static func token(_ key: String, _ team: String, issued: Int64 = 0, seal: UInt8 = 7) -> String {
    let parts = [
      #"{"alg":"ES256","kid":"\#(key)"}"#, #"{"iss":"\#(team)","iat":\#(Town.began.seconds + issued)}"#,
    ].map { Array($0.utf8) }
    let texts = (parts + [[UInt8](repeating: seal, count: 64)]).map { Base64URL.encode($0) }
    return "bearer " + texts.joined(separator: ".")
  }

  private static func key(_ how: Int, _ which: Int) -> Command {
    let id = ["KEY0000001", "KEY0000002", "KEY0000003", "KEY0000009"][which % 4]
    switch how % 8 {
    case 0: return .revokeKey(id)
    case 7: return .restoreKey(id)
    case 6: return which % 2 == 0 ? .suspendCertificates("all") : .restoreCertificates("all")
    case 1: return .revokeCertificate(which % 2 == 0 ? "aa" : "bb")
    default:
      return .addKey(
        ProviderKey(keyID: id, teamID: Town.team, environments: [.sandbox, .production]), publicKey: "anything")
    }
  }

  private static func certificate(_ which: Int) -> ProviderCertificate? {
    guard which % 4 > 0 else { return nil }
    let hour = Duration.seconds(which % 4 == 3 ? -60 : 3600)
    return ProviderCertificate(
      subject: "CN=Apple Push Services: \(Town.app)",
      topics: which % 4 == 1 ? [Town.app] : [Town.app, Town.app + ".voip"],
      environments: [.sandbox], validity: Town.began.advanced(by: .seconds(-7200))...Town.began.advanced(by: hour),
      flaw: nil, fingerprint: which % 2 == 0 ? "aa" : "bb")
  }

  // MARK: - Faults and the wire

  private static func fault(_ how: Int, _ which: Int, _ town: Town) -> Command {
    let name = "f\(which % 3)"
    switch how % 8 {
    case 0: return .deleteFault(name)
    case 1: return .deleteAllFaults
    default: break
    }
    // A fault without a condition strikes most.
    let conditions = [
      "", "", "", "", #""when":{"every":2},"#, #""when":{"skip":2},"limit":2,"#, #""odds":0.5,"#,
      #""when":{"event":"update"},"#,
      #""when":{"pushType":"alert"},"limit":1,"#, #""when":{"share":"50%"},"#, #""for":"20s","#,
      #""when":{"priority":5},"#, #""when":{"app":"com.example.store"},"#, #""when":{"idle":"60s"},"#,
      #""when":{"opening":true},"#,
    ]
    let condition = conditions[how / 8 % conditions.count]
    let text = #"{"name":"\#(name)",\#(condition)"then":\#(consequences[which / 3 % consequences.count])}"#
    let world = town.simulator.world
    guard let json = try? JSONValue.parse(Array(text.utf8)),
      let fault = try? FaultReader.read(SourceNode(json), world.fleet, at: town.now.world)
    else { return .deleteFault(name) }
    return .setFault(fault)
  }

  /// Consequences of every kind, as docs/faults.md describes them.
  private static let consequences = [
    #"{"answer":"TooManyRequests","retryAfter":5}"#, #"{"answer":"Unregistered","age":"1h"}"#, #"{"delay":"2s"}"#,
    #"{"delay":{"from":"50ms","to":"400ms"}}"#, #"{"silence":true}"#, #"{"lose":true}"#, #"{"loseAnswer":"CANCEL"}"#,
    #"{"reset":"REFUSED_STREAM"}"#, #"{"malformed":"{\"reas","status":400}"#, #"{"withoutId":true}"#,
    #"{"answer":"BadDeviceToken","split":[5,3],"pause":"50ms","ends":"apart"}"#,
    #"{"goAway":"NO_ERROR","debug":"{}","before":2}"#, #"{"goAway":"NO_ERROR","twice":true,"closes":false}"#,
    #"{"goAway":"PROTOCOL_ERROR","last":true,"pings":true}"#, #"{"goAway":"NO_ERROR","before":-1}"#,
    #"{"streams":1,"back":1000,"after":"5s"}"#, #"{"streams":1,"open":"finish","back":1000,"after":"5s"}"#,
    #"{"streams":10,"surplus":"REFUSED_STREAM"}"#, #"{"window":16,"withheld":false,"back":65535,"after":"30s"}"#,
    #"{"freeze":true,"pings":true}"#, #"{"close":true}"#, #"{"halfClose":true,"goodbye":false}"#, #"{"abort":true}"#,
    #"{"answerAll":"InternalServerError"}"#, #"{"readSlowly":200}"#, #"{"skew":"90m"}"#, #"{"skew":"-90m"}"#,
    #"{"devices":{"do":"goOffline"}}"#, #"{"devices":{"do":"forceQuit"},"heal":{"do":"open"}}"#,
    #"{"devices":{"do":"rotate","app":"com.example.app","kind":"device"}}"#, #"{"prompts":{"after":"30m"}}"#,
    #"{"listener":"refuse"}"#, #"{"arrival":"lose"}"#, #"{"arrival":"double"}"#, #"{"arrival":"overtake"}"#,
    #"{"arrival":{"delay":{"from":"0s","to":"30s"}}}"#,
    // Twice, because only a push that is accepted shows them.
    #"{"abort":true}"#, #"{"answer":"Unregistered","age":"1h"}"#,
  ]

  private static func wire(_ how: Int, _ which: Int, _ town: Town) -> WayStep {
    let connection = connections[2 + which % 3]
    let push = UInt64(which) + 1
    switch how % 8 {
    case 0, 1, 2: return .open(connection, how / 8 % 2 == 0 ? .sandbox : .production, certificate(how / 16))
    case 3: return .close(connection)
    case 4: return .answered(push: push, Town.sandbox, .nothing(.clientReset))
    case 5: return .answered(push: push, Town.sandbox, .pending(.window))
    case 6: return .answered(push: push, Town.sandbox, .answer(status: 200))
    default: return .wave
    }
  }
}
