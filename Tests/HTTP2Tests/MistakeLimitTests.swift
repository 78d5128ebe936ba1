import HTTP2
import Testing
import WireFormats

/// A client can make the server reset a stream without resetting it itself ("MadeYouReset").
@Suite("A client cannot make streams fail without limit") struct MistakeLimitTests {
  enum Mistake: CaseIterable {
    case windowOverflow, emptyWindowUpdate, selfDependency, malformedFields, moreThanContentLength
    case lessThanContentLength, unfinishedTrailers, dataAfterReset, tooManyFields

    func frames(_ stream: Int32) -> [Frame] {
      let request = Frame.headers(stream, .post, ends: true)
      let short = Frame.headers(stream, .post + [("content-length", "3")], ends: false)
      return switch self {
      case .windowOverflow: [request, .windowUpdate(stream, 0x7FFF_FFFF)]
      case .emptyWindowUpdate: [request, .windowUpdate(stream, 0)]
      case .selfDependency:
        [request, Frame(kind: .priority, stream: stream, payload: Frame.bigEndian(UInt32(stream)) + [0])]
      case .malformedFields: [.headers(stream, .post + [("UPPER", "case")], ends: true)]
      case .moreThanContentLength: [short, .data(stream, "four")]
      case .lessThanContentLength: [short, .data(stream, "2")]
      case .unfinishedTrailers: [short, .headers(stream, [("a", "b")], ends: false)]
      case .dataAfterReset: [.headers(stream, .post, ends: false), .reset(stream), .data(stream, "late")]
      case .tooManyFields: [.headers(stream, .post + [("a", String(repeating: "b", count: 9000))], ends: true)]
      }
    }
  }

  private func server() -> Server {
    let server = Server.greeted {
      $0.announcedStreams = 1000
      $0.oversizeHeaders = .reset
    }
    server.receive(Frame.settingsAck)
    return server
  }

  /// - Returns: the number of streams until the session failed; nil if it did not.
  private func fail(_ server: Server, _ most: Int, every interval: Int64 = 0, _ frames: (Int32) -> [Frame]) -> Int? {
    for round in 0..<most {
      server.session.now += interval
      server.receive(frames(Int32(2 * round + 1)).flatMap(\.bytes))
      _ = server.output()
      if server.session.failure != nil { return round + 1 }
    }
    return nil
  }

  @Test("Each kind of mistake ends the connection, at once or after 1,000 streams", arguments: Mistake.allCases)
  func floods(mistake: Mistake) throws {
    let server = server()
    let count = try #require(fail(server, 1100) { mistake.frames($0) })
    #expect(count <= 1001)
    guard case .flooded = server.session.failure else {
      #expect(count == 1)
      return
    }
  }

  @Test("The mistakes of one SETTINGS frame count for each stream that it breaks") func settings() {
    let server = server()
    for stream in stride(from: Int32(1), to: 1900, by: 2) {
      server.receive(.headers(stream, .post, ends: true), .windowUpdate(stream, 0x7FFF_FFFF - 65_535))
    }
    server.receive(.settings([(UInt16(4), UInt32(65_536))]))
    _ = server.output()
    #expect(server.session.failure == nil)
    #expect(fail(server, 100) { Mistake.windowOverflow.frames($0 + 2000) }.map { $0 <= 51 } == true)
  }

  @Test("33 mistakes a second are allowed for ever") func slow() {
    #expect(fail(server(), 5000, every: 1_000_000_000 / 33) { Mistake.windowOverflow.frames($0) } == nil)
  }

  @Test("Resets by the caller are no mistakes of the client, and neither are refused streams") func others() {
    let server = server()
    for stream in stride(from: Int32(1), to: 6000, by: 2) {
      server.receive(.headers(stream, .post, ends: true))
      server.session.reset(stream, .internalError)
      _ = server.output()
    }
    server.session.limitStreams(0)
    _ = server.output()
    for stream in stride(from: Int32(6001), to: 12_000, by: 2) {
      server.receive(.headers(stream, .post, ends: true))
      _ = server.output()
    }
    #expect(server.session.counters.refusedStreams == 3000)
    #expect(server.session.failure == nil)
  }
}
