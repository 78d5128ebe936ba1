import HTTP2
import Testing
import WireFormats

@Suite("Limits and windows are narrowed in flight") struct ChangingStreamLimitTests {
  private func streams(_ frames: [Frame], _ kind: Frame.Kind) -> [Int32] {
    frames.filter { $0.kind == kind }.map(\.stream)
  }

  @Test("1000, 1, 1000: SETTINGS first, the newest beyond the one refused, later ones too, until it is lifted")
  func limit() {
    let server = Server.greeted { $0.announcedStreams = 1000 }
    server.receive(Frame.settingsAck)
    server.receive(.headers(1, .post, ends: true))
    for stream in stride(from: Int32(3), through: 9, by: 2) { server.receive(.headers(stream, .post, ends: false)) }
    server.session.limitStreams(1)
    #expect(server.session.takeUnserved() == [9, 7, 5, 3].map { UnservedStream($0, .refused) })
    let frames = server.frames()
    #expect(frames.first?.payload == [0, 3, 0, 0, 0, 1])
    #expect(streams(frames, .rstStream) == [9, 7, 5, 3])
    #expect(frames.dropFirst().allSatisfy { $0.number(at: 0) == 7 })
    // Not acknowledged yet, and held to it all the same.
    server.receive(.headers(11, .post, ends: true))
    #expect(server.frames() == [.reset(11, 7)])
    server.session.restoreStreamLimit()
    #expect(server.frames().map(\.payload) == [[0, 3, 0, 0, 3, 0xE8]])
    server.receive(.headers(13, .post, ends: true))
    server.receive(Frame.settingsAck, Frame.settingsAck)
    server.receive(.headers(15, .post, ends: true))
    server.answerAll()
    #expect(streams(server.frames(), .headers) == [1, 13, 15])
  }

  @Test("A limit that was put back stays until it is lifted, and is announced again only if it is another one")
  func putBack() {
    for (back, said) in [(10, [[0, 3, 0, 0, 3, 0xE8]]), (1000, [])] as [(Int, [[UInt8]])] {
      let server = Server.greeted { $0.announcedStreams = 1 }
      server.session.limitStreams(5)
      server.session.limitStreams(back, refusesOpen: false)
      #expect(server.frames().count == 2)
      // The client is authorised.
      server.session.announceStreams(1000)
      #expect(server.frames().isEmpty)
      server.session.restoreStreamLimit()
      #expect(server.frames().map(\.payload) == said, "back at \(back)")
      server.session.announceStreams(7)
      #expect(server.frames().map(\.payload) == [[0, 3, 0, 0, 0, 7]])
    }
  }

  @Test(
    "A request that was handed over is answered and never refused; a waiting one is refused, and never handed over"
  )
  func handedOut() {
    let server = Server.greeted { $0.announcedStreams = 1000 }
    let requests = stride(from: Int32(1), through: 9, by: 2).flatMap { Frame.headers($0, .post, ends: true).bytes }
    requests.withUnsafeBytes { server.session.receive($0) }
    server.session.handedOver(3)
    server.session.limitStreams(2)
    #expect(server.session.arrived.isEmpty)
    #expect(server.session.takeUnserved().map(\.stream) == [9, 7])
    for stream in [1, 3, 5, 7, 9] as [Int32] {
      #expect(server.session.respond(stream, .success) == (stream <= 5))
    }
    let frames = server.frames()
    #expect(streams(frames, .rstStream) == [9, 7])
    #expect(streams(frames, .headers) == [1, 3, 5])
  }

  @Test("A GOAWAY forgets the requests above its last stream that were not handed over, and names them") func goAway() {
    let server = Server.greeted { $0.announcedStreams = 1000 }
    let requests = stride(from: Int32(1), through: 7, by: 2).flatMap { Frame.headers($0, .post, ends: true).bytes }
    requests.withUnsafeBytes { server.session.receive($0) }
    server.session.handedOver(1)
    server.session.goAway(lastStream: 3, .noError)
    #expect(server.session.arrived.map(\.stream) == [3])
    #expect(server.session.takeUnserved() == [7, 5].map { UnservedStream($0, .aboveLastStream) })
  }

  @Test("Only announced, a lower limit lets open streams finish and holds from its acknowledgement on") func gentle() {
    let server = Server.greeted { $0.announcedStreams = 1000 }
    server.receive(Frame.settingsAck)
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: false))
    server.session.limitStreams(1, refusesOpen: false)
    #expect(server.frames().map(\.payload) == [[0, 3, 0, 0, 0, 1]])
    server.receive(.headers(5, .post, ends: true), .data(3, "{}"))
    server.receive(Frame.settingsAck)
    server.receive(.headers(7, .post, ends: true))
    #expect(server.frames() == [.reset(7, 7)])
    #expect(server.requests.map(\.stream) == [1, 5, 3])
    server.answerAll()
    _ = server.frames()
    server.receive(.headers(9, .post, ends: true))
    #expect(server.requests.map(\.stream) == [9])
  }

  @Test("A stream too many ends the connection if so ordered: GOAWAY once, open streams are answered first")
  func excessStreams() {
    let server = Server.greeted { $0.announcedStreams = 1000 }
    server.receive(Frame.settingsAck)
    server.session.limitStreams(2, excessStreams: ExcessStreams(.refusedStream, debug: Array("too many".utf8)))
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: true))
    #expect(server.frames().map(\.kind) == [.settings])
    server.receive(.headers(5, .post, ends: true), .headers(7, .post, ends: true))
    let frames = server.frames()
    #expect(frames.map(\.kind) == [.goAway])
    #expect(frames.first.map { [$0.number(at: 0), $0.number(at: 4)] } == [3, 7])
    #expect(frames.first.map { Array($0.payload.dropFirst(8)) } == Array("too many".utf8))
    #expect(server.session.takeIgnored() == [5, 7])
    server.answerAll()
    #expect(streams(server.frames(), .headers) == [1, 3])
    #expect(server.session.isFinished)
  }

  @Test("A lifted limit cancels the consequence for a stream too many") func lifted() {
    let server = Server.greeted { $0.announcedStreams = 1000 }
    server.receive(Frame.settingsAck)
    server.session.limitStreams(0, excessStreams: ExcessStreams(.refusedStream))
    server.session.announceStreams(1)
    server.session.restoreStreamLimit()
    _ = server.frames()
    server.receive(Frame.settingsAck, Frame.settingsAck)
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: true))
    #expect(server.frames() == [.reset(3, 7)])
  }

  @Test(
    "A limit set apart from the regular one stays when the regular one is raised, which applies once it is lifted",
    arguments: [true, false], [nil, 1000])
  func regular(refusesOpen: Bool, raised: Int?) {
    let server = Server.greeted { $0.announcedStreams = 1 }
    server.receive(Frame.settingsAck)
    server.session.limitStreams(2, refusesOpen: refusesOpen)
    #expect(server.frames().map(\.payload) == [[0, 3, 0, 0, 0, 2]])
    server.receive(Frame.settingsAck)
    if let raised { server.session.announceStreams(raised) }
    #expect(server.frames().isEmpty)
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: true), .headers(5, .post, ends: true))
    #expect(server.frames() == [.reset(5, 7)])
    server.session.restoreStreamLimit()
    #expect(server.frames().map { $0.number(at: 2) } == [UInt32(raised ?? 1)])
    server.session.announceStreams(7)
    #expect(server.frames().map { $0.number(at: 2) } == [7])
  }

  @Test("A raised regular limit keeps the consequence for a stream beyond the limit in force") func keepsConsequence() {
    let server = Server.greeted { $0.announcedStreams = 1 }
    server.receive(Frame.settingsAck)
    server.session.limitStreams(1, excessStreams: ExcessStreams(.refusedStream))
    server.session.announceStreams(1000)
    _ = server.frames()
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: true))
    #expect(server.frames().map(\.kind) == [.goAway])
  }

  @Test("Announced in peace, the lower limit holds once it is acknowledged; what is open stays") func announced() {
    let server = Server.greeted { $0.announcedStreams = 1000 }
    server.receive(Frame.settingsAck)
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: true))
    server.session.announceStreams(1)
    #expect(server.frames().map(\.kind) == [.settings])
    server.receive(.headers(5, .post, ends: true))
    server.receive(Frame.settingsAck)
    server.receive(.headers(7, .post, ends: true))
    #expect(server.frames() == [.reset(7, 7)])
    #expect(server.requests.map(\.stream) == [1, 3, 5])
  }

  @Test("Another window: its SETTINGS have only that, and the stream limit is unchanged") func window() {
    let server = Server.greeted { $0.announcedStreams = 2 }
    server.receive(Frame.settingsAck)
    server.session.setWindow(10, withheld: true)
    #expect(server.frames().map(\.payload) == [[0, 4, 0, 0, 0, 10]])
    server.receive(Frame.settingsAck)
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: true), .headers(5, .post, ends: true))
    #expect(server.frames() == [.reset(5, 7)])
    server.session.announceStreams(7)
    #expect(server.frames().map(\.payload) == [[0, 3, 0, 0, 0, 7]])
  }

  @Test("Each acknowledgement is of the SETTINGS it answers: one of a window does not apply a lower limit early")
  func acknowledgements() {
    let server = Server.greeted { $0.announcedStreams = 1000 }
    server.receive(Frame.settingsAck)
    server.session.setWindow(10, withheld: false)
    server.session.announceStreams(1)
    _ = server.output()
    server.receive(Frame.settingsAck)
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: true))
    #expect(server.frames().isEmpty)
    server.receive(Frame.settingsAck)
    server.receive(.headers(5, .post, ends: true))
    #expect(server.frames() == [.reset(5, 7)])
  }

  @Test("Window updates are withheld, and released together") func withheld() {
    let server = Server.greeted()
    server.receive(Frame.settingsAck)
    server.session.setWindow(65_535, withheld: true)
    _ = server.output()
    server.receive(Frame.settingsAck)
    let body = String(repeating: "x", count: 16_000)
    server.receive(.headers(1, .post, ends: false))
    for _ in 0..<4 { server.receive(.data(1, body, ends: false)) }
    #expect(server.frames().isEmpty)
    server.session.setWindow(65_535, withheld: false)
    let late = server.frames()
    #expect(late.map(\.kind) == [.settings, .windowUpdate, .windowUpdate])
    #expect(late.dropFirst().map(\.stream) == [0, 1])
    // nghttp2 tells once half a window is used up.
    #expect(late.dropFirst().allSatisfy { $0.number(at: 0) >= 32_767 && $0.number(at: 0) <= 64_000 })
    server.receive(.data(1, String(repeating: "x", count: 1000)))
    #expect(server.requests.count == 1)
  }

  @Test("A client that exceeds a tiny window has violated a rule") func disobeyed() {
    let server = Server.greeted()
    server.receive(Frame.settingsAck)
    server.session.setWindow(3, withheld: true)
    _ = server.output()
    server.receive(Frame.settingsAck)
    server.receive(.headers(1, .post, ends: false), .data(1, "12345678"))
    #expect(server.frames() == [.reset(1, 3)])
    #expect(server.requests.isEmpty)
  }

  @Test("Only answers to PINGs: other frames are held in order, and nothing is lost") func onlyPings() {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: true), Frame(kind: .ping, payload: Array("12345678".utf8)))
    server.answerAll(.refusal(400, "{}"))
    let (leaving, held) = server.session.fillOnlyPings()
    #expect(Frame.parse(leaving).map(\.kind) == [.ping])
    #expect(Frame.parse(held).map(\.kind) == [.headers, .data])
    #expect(server.frames().isEmpty)
  }

  @Test("A partly sent frame is finished first") func begun() {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: true))
    server.answerAll(.refusal(400, String(repeating: "x", count: 1000)))
    var first = [UInt8](repeating: 0, count: 500)
    #expect(first.withUnsafeMutableBytes { server.session.fill($0) } == 500)
    server.receive(Frame(kind: .ping, payload: Array("12345678".utf8)))
    let (leaving, held) = server.session.fillOnlyPings()
    #expect(Frame.parse(first + leaving).map(\.kind) == [.headers, .data, .ping])
    #expect(held.isEmpty)
  }
}
