import APNs
import Devices
import Testing
import Timeline
import WireFormats

@testable import Simulation

/// Documented: APNs may block a server that behaves like an attacker (docs/behavior/requests.md#sendernotblocked).
@Suite("A blocked sender")
struct SenderBlockTests {
  private func stage(_ block: Duration? = .seconds(600)) -> Stage {
    var rulebook = Rulebook()
    rulebook.block = block
    return Stage(devices: 10, rulebook: rulebook)
  }

  private func connect(_ stage: inout Stage, _ number: UInt64, from host: String) -> ProviderConnectionID {
    let id = ProviderConnectionID(number)
    stage.world.connectionOpened(id, to: .sandbox, peer: "\(host):\(50_000 + number)", at: stage.now)
    return id
  }

  private func push(_ stage: inout Stage, on connection: ProviderConnectionID, to device: UInt32 = 0) throws
    -> PushRecord
  {
    try stage.send(try stage.token(on: device), topic: Stage.app, #"{"aps":{"alert":"A"}}"#, on: connection)
  }

  private func blocks(_ stage: inout Stage) -> [String] {
    stage.events().compactMap { event in
      if case .trouble(let trouble) = event, trouble.kind == "senderBlocked" { trouble.sentence } else { nil }
    }
  }

  @Test(
    "a sender that floods one device is blocked for all devices and connections, and others and later pushes are not")
  func flood() throws {
    var stage = stage()
    let (first, second) = (connect(&stage, 10, from: "10.0.0.1"), connect(&stage, 11, from: "10.0.0.1"))
    let other = connect(&stage, 12, from: "10.0.0.2")
    for _ in 0..<100 { #expect(try push(&stage, on: first).status == 200) }
    #expect(blocks(&stage).isEmpty)
    #expect(try push(&stage, on: first).status == 200)
    let said = blocks(&stage)
    #expect(
      said.count == 1 && said[0].contains("10.0.0.1") && said[0].contains("d0") && said[0].contains("rules.block"))
    for connection in [first, second] {
      let record = try push(&stage, on: connection, to: 1)
      #expect(record.reason == .tooManyRequests && record.answer.rejection?.rule == .senderNotBlocked)
    }
    #expect(try push(&stage, on: other).status == 200)
    stage.advance(by: .seconds(599))
    #expect(try push(&stage, on: first).status == 429)
    stage.advance(by: .seconds(1))
    #expect(try push(&stage, on: first).status == 200)
    #expect(blocks(&stage).isEmpty)
  }

  @Test("many pushes to many devices, ten a second to one, and any number without the setting block nobody")
  func noFlood() throws {
    var stage = stage()
    for _ in 0..<50 {
      for device in 0..<10 as Range<UInt32> { #expect(try push(&stage, on: Stage.sandbox, to: device).status == 200) }
    }
    stage.advance(by: .seconds(60))
    for _ in 0..<300 {
      #expect(try push(&stage, on: Stage.sandbox).status == 200)
      stage.advance(by: .milliseconds(100))
    }
    #expect(blocks(&stage).isEmpty)
    var off = self.stage(nil)
    for _ in 0..<300 { #expect(try push(&off, on: Stage.sandbox).status == 200) }
    #expect(blocks(&off).isEmpty)
  }

  @Test("a sender that opens and closes connections in a loop is blocked, and its next connection gets 429")
  func loop() throws {
    var stage = stage()
    for number in 10..<40 as Range<UInt64> {
      let connection = connect(&stage, number, from: "[::1]")
      #expect(try push(&stage, on: connection, to: UInt32(number % 10)).status == 200)
      stage.world.connectionClosed(connection, at: stage.now)
    }
    #expect(blocks(&stage).isEmpty)
    stage.world.connectionClosed(connect(&stage, 40, from: "[::1]"), at: stage.now)
    #expect(blocks(&stage).count == 1)
    #expect(try push(&stage, on: connect(&stage, 41, from: "[::1]")).status == 429)
    #expect(try push(&stage, on: connect(&stage, 42, from: "10.0.0.1")).status == 200)
  }

  @Test("connections that stay open for a minute, or one short connection a second, block nobody")
  func noLoop() throws {
    var stage = stage()
    let pool = (10..<60 as Range<UInt64>).map { connect(&stage, $0, from: "10.0.0.1") }
    stage.advance(by: .seconds(60))
    for connection in pool { stage.world.connectionClosed(connection, at: stage.now) }
    for number in 100..<180 as Range<UInt64> {
      stage.world.connectionClosed(connect(&stage, number, from: "10.0.0.1"), at: stage.now)
      stage.advance(by: .seconds(1))
    }
    #expect(blocks(&stage).isEmpty)
    #expect(try push(&stage, on: connect(&stage, 200, from: "10.0.0.1")).status == 200)
  }

  @Test("pushes that the admin API sends, each on a connection of its own, block nobody")
  func adminAPI() throws {
    var stage = stage()
    for number in 0..<150 as Range<UInt64> {
      let connection = connect(&stage, ProviderConnectionID.firstOfAdmin + number, from: "admin API")
      #expect(try push(&stage, on: connection).status == 200)
      stage.world.connectionClosed(connection, at: stage.now)
    }
    #expect(blocks(&stage).isEmpty)
  }

  @Test("a block ends when the simulation begins anew")
  func anew() throws {
    var stage = stage()
    let flooding = connect(&stage, 9, from: "10.0.0.1")
    for _ in 0..<101 { _ = try push(&stage, on: flooding) }
    #expect(try push(&stage, on: flooding).status == 429)
    try stage.world.perform(.beginAnew, at: stage.now)
    #expect(try push(&stage, on: connect(&stage, 10, from: "10.0.0.1")).status == 200)
  }
}
