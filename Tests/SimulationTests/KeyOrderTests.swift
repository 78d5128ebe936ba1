import APNs
import Orders
import Simulation
import TestSupport
import Testing
import Timeline
import WireFormats

@Suite("An order about keys and certificates")
struct KeyOrderTests {
  private static let alert = #"{"aps":{"alert":"Out!"}}"#

  private static func stage(_ way: Stage.Way) -> Stage {
    var stage = Stage(devices: 4)
    stage.way = way
    return stage
  }

  @Test("counts on open connections from the next push on", arguments: [Stage.Way.request, .examined])
  func counts(way: Stage.Way) throws {
    var stage = Self.stage(way)
    let token = try stage.token()
    for _ in 0..<3 { #expect(try stage.send(token, Self.alert).status == 200) }
    try stage.world.perform(.revokeKey("KEY0000001"), at: stage.now)
    for _ in 0..<2 {
      let refused = try stage.send(token, Self.alert)
      #expect(refused.status == 403 && refused.answer.rejection?.reason == .invalidProviderToken)
    }
    try stage.world.perform(.addKey(Stage.key, publicKey: "MFkw"), at: stage.now)
    stage.world.connectionOpened(ProviderConnectionID(7), to: .sandbox, peer: "127.0.0.1:50007", at: stage.now)
    let accepted = try stage.send(token, Self.alert, on: ProviderConnectionID(7))
    #expect(accepted.status == 200 && accepted.keyNumber == 1)
  }

  @Test("a key of the beginning is valid again after its restoration", arguments: [Stage.Way.request, .examined])
  func restores(way: Stage.Way) throws {
    var stage = Self.stage(way)
    let token = try stage.token()
    #expect(throws: CommandProblem.self) { try stage.world.perform(.restoreKey("KEY0000001"), at: stage.now) }
    try stage.world.perform(.revokeKey("KEY0000001"), at: stage.now)
    #expect(stage.world.initialKeys.map(\.isValid) == [false])
    #expect(try stage.send(token, Self.alert).status == 403)
    try stage.world.perform(.restoreKey("KEY0000001"), at: stage.now)
    #expect(stage.world.initialKeys.map(\.isValid) == [true])
    let accepted = try stage.send(token, Self.alert)
    #expect(accepted.status == 200 && accepted.keyNumber == 0)
    // One that was added later is added again with its public half.
    let other = ProviderKey(keyID: "KEY0000002", teamID: Stage.team, environments: [.sandbox])
    try stage.world.perform(.addKey(other, publicKey: "MFkw"), at: stage.now)
    try stage.world.perform(.revokeKey("KEY0000002"), at: stage.now)
    #expect(throws: CommandProblem.self) { try stage.world.perform(.restoreKey("KEY0000002"), at: stage.now) }
  }

  @Test("an order about a key that cannot be carried out states the reason and changes nothing")
  func problems() throws {
    var stage = Self.stage(.request)
    func problem(_ command: Command) -> CommandProblem? {
      do throws(CommandProblem) {
        try stage.world.perform(command, at: stage.now)
        return nil
      } catch { return error }
    }
    #expect(problem(.addKey(Stage.key, publicKey: "MFkw"))?.kind == .conflict)
    let other = ProviderKey(keyID: "KEY0000002", teamID: Stage.team, environments: [.sandbox])
    #expect(problem(.addKey(other, publicKey: ""))?.field == "pem")
    let unknown = problem(.revokeKey("KEY0000002"))
    #expect(unknown?.kind == .unknown && unknown?.sentence.contains("KEY0000001") == true)
    #expect(try stage.send(try stage.token(), Self.alert).status == 200)
  }

  @Test("an order adds no key beyond the most that a server accepts, revoked keys included")
  func most() throws {
    func key(_ number: Int) -> ProviderKey {
      ProviderKey(keyID: "MANY\(number)", teamID: Stage.team, environments: [.sandbox])
    }
    // Most are there from the start, because each command copies the ring.
    let early = KeyRing.mostKeys - 100
    var stage = Stage(devices: 4, keys: (0..<early).map { key(KeyRing.mostKeys + $0) })
    for number in 1...100 {
      try stage.world.perform(.addKey(key(number), publicKey: "MFkw"), at: stage.now)
      if number.isMultiple(of: 2) { try stage.world.perform(.revokeKey(key(number).keyID), at: stage.now) }
    }
    #expect {
      try stage.world.perform(.addKey(key(0), publicKey: "MFkw"), at: stage.now)
    } throws: { error in
      (error as? CommandProblem)?.kind == .impossible && (error as? CommandProblem)?.field == "keyId"
    }
    #expect(stage.world.validator.keyRing.valid.count == early + 50)
  }

  @Test("keys stay as they are when the world begins anew")
  func anew() throws {
    var stage = Self.stage(.request)
    try stage.world.perform(.revokeKey("KEY0000001"), at: stage.now)
    try stage.world.perform(.beginAnew, at: stage.now)
    #expect(try stage.send(try stage.token(), Self.alert).status == 403)
  }

  @Test(
    "revoking a certificate ends the open connections that use it, and no others",
    arguments: [Stage.Way.request, .examined])
  func certificates(way: Stage.Way) throws {
    var stage = Self.stage(way)
    let connections = ["aa11", "bb22"].map { stage.connect(.good.with(fingerprint: $0)) }
    for connection in connections {
      stage.providers[connection] = stage.world.provider(of: connection)
      #expect(try stage.send(try stage.token(), Self.alert, on: connection).status == 200)
    }
    _ = stage.events()
    try stage.world.perform(.revokeCertificate("aa11"), at: stage.now)
    let troubles = stage.world.recent.compactMap { if case .trouble(let trouble) = $0 { trouble } else { nil } }
    #expect(troubles.map(\.kind) == ["certificate"] && troubles.first?.sentence.contains("revoked") == true)
    for connection in connections { stage.providers[connection] = stage.world.provider(of: connection) }
    let refused = try stage.send(try stage.token(), Self.alert, on: connections[0])
    #expect(refused.answer.rejection?.reason == .badCertificate)
    #expect(stage.orders(on: connections[0]).count == 1)
    #expect(try stage.send(try stage.token(), Self.alert, on: connections[1]).status == 200)
    #expect(stage.orders(on: connections[1]).isEmpty)
  }

  @Test("a tape contains orders about keys and certificates, and its replay gives the same events")
  func tape() throws {
    var stage = Self.stage(.examined)
    let before = stage.record()
    let connection = stage.connect(.good.with(fingerprint: "aa11"))
    let token = try stage.token()
    func pushes() throws -> [Int] {
      [
        try stage.send(token, Self.alert).status, try stage.send(token, Self.alert, on: connection).status,
      ]
    }
    stage.providers[connection] = stage.world.provider(of: connection)
    #expect(try pushes() == [200, 200])
    try stage.world.perform(.revokeKey("KEY0000001"), at: stage.now)
    try stage.world.perform(.revokeCertificate("aa11"), at: stage.now)
    stage.providers[connection] = stage.world.provider(of: connection)
    #expect(try pushes() == [403, 403])
    try stage.world.perform(.addKey(Stage.key, publicKey: "MFkw"), at: stage.now)
    let twin = Command.addKey(Stage.key, publicKey: "MFkw")
    #expect(throws: CommandProblem.self) { try stage.world.perform(twin, at: stage.now) }
    stage.world.connectionOpened(ProviderConnectionID(7), to: .sandbox, peer: "127.0.0.1:50007", at: stage.now)
    #expect(try stage.send(token, Self.alert, on: ProviderConnectionID(7)).status == 200)
    let recorded = stage.events()
    let read = try Reel(stage.batches).read
    #expect(read.ending == .whole)
    var player = TapePlayer(world: before)
    var events: [WorldEvent] = []
    for record in read.records {
      let difference = player.play(record) { list, _, _ in events += list }
      #expect(difference == nil, "\(difference?.text ?? "")")
    }
    #expect(events == recorded)
    #expect(player.world.validator.keyRing.valid.map(\.publicKey) == ["MFkw"])
  }
}
