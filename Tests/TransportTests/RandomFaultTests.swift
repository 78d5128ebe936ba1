import HTTP2
import TestSupport
import Testing
import Transport
import WireFormats

@Suite("Faults in any order", .timeLimit(.minutes(15))) struct RandomFaultTests {
  /// SplitMix64.
  private struct Dice {
    var state: UInt64

    mutating func roll(_ sides: Int) -> Int {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return Int((mixed ^ (mixed >> 31)) % UInt64(sides))
    }

    mutating func effect(streams: Int) -> Effect {
      let stream = Int32(2 * roll(streams + 1) + 1)
      let answer = HTTPResponse(status: 400, fields: HTTPFields(), body: [UInt8](repeating: 0x78, count: roll(3000)))
      return switch roll(16) {
      case 0, 1: .freeze(answersPings: roll(2) == 0)
      case 2, 3, 4: .thaw
      case 5: .readSlowly(bytesPerSecond: [1, 50, 100_000][roll(3)])
      case 6: .readSlowly(bytesPerSecond: nil)
      case 7: .goAway(GoAway(lastStream: [nil, 3, 31, .max][roll(4)], .noError, closes: false))
      case 8: .limitStreams(roll(5))
      case 9: roll(2) == 0 ? .announceStreams(1000) : .restoreStreamLimit
      case 10: .window([0, 7, 65_535][roll(3)], withheld: roll(2) == 0)
      case 11: .reset(stream: stream, .refusedStream)
      case 12: .ping
      case 13: .respondSplit(stream: stream, answer, split())
      default: .respond(stream: stream, answer)
      }
    }

    mutating func split() -> BodySplit {
      BodySplit(
        sizes: [roll(10), roll(1000)], end: [.withLastPiece, .apart, .never][roll(3)],
        pause: [nil, .microseconds(100)][roll(2)])
    }
  }

  @Test("A connection survives them all, or ends; either way its end is reported once, and others are served")
  func any() async throws {
    var dice = Dice(state: 20_261_121)
    for _ in 0..<60 {
      let server = try await TestServer.silent { $0.limits.unwritten = 4096 }
      let (client, _) = try await FrameClient.greeted(port: server.port)
      let connection = try #require(await server.sink.nextOpened()).id
      var streams = 0
      for _ in 0..<60 {
        switch dice.roll(4) {
        case 0:
          client.post(2 * streams + 1)
          streams += 1
        case 1: client.ping("12345678")
        case 2 where streams > 0: client.send(Bytes.frame(3, stream: 2 * dice.roll(streams) + 1, Bytes.number(8)))
        default:
          server.apply(dice.effect(streams: streams), dice.effect(streams: streams), to: connection)
        }
      }
      try await server.catchUp()
      server.apply(.abort, to: connection)
      server.order(.drain(within: .seconds(3600)))
      var ends: [UInt64] = []
      for await event in server.sink.events {
        if case .closed(_, let token) = event { ends.append(token) }
        if case .drained = event { break }
      }
      // The other one is the client of `catchUp`.
      #expect(ends.sorted() == [1001, 1002])
      client.close()
    }
  }
}
