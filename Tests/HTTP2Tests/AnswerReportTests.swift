import HTTP2
import Testing
import WireFormats

/// A session tells of answers that did not simply leave, and is silent about all others.
@Suite("The fate of answers") struct AnswerReportTests {
  private static let refusal = HTTPResponse.refusal(400, #"{"reason":"BadTopic"}"#)

  /// - Parameter window: what each stream of the client may take.
  private func server(window: UInt32) -> Server {
    let server = Server.greeted(by: .settings([(UInt16(4), window)])) { $0.announcedStreams = 1000 }
    server.receive(Frame.settingsAck)
    return server
  }

  private func reports(_ server: Server) -> [AnswerReport] {
    server.session.reportHeldAnswers()
    return server.session.takeAnswerReports()
  }

  @Test("answers that are sent, with a body and without, are not reported") func plain() {
    let server = server(window: 65_535)
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: true))
    server.session.respond(1, .success)
    server.session.respond(3, Self.refusal)
    _ = server.output()
    server.receive(.reset(1), .reset(3))
    server.session.giveUpAnswers()
    #expect(reports(server).isEmpty)
  }

  @Test("A body without room waits, once; and leaves when the client makes room") func held() {
    let server = server(window: 0)
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: true))
    server.session.respond(1, Self.refusal)
    server.session.respond(3, .success)
    _ = server.output()
    #expect(reports(server) == [AnswerReport(1, .waitsForWindow)])
    #expect(reports(server).isEmpty)
    server.receive(.windowUpdate(1, 5))
    _ = server.output()
    #expect(reports(server).isEmpty)
    server.receive(.windowUpdate(1, 500))
    _ = server.output()
    #expect(reports(server) == [AnswerReport(1, .left)])
    server.session.giveUpAnswers()
    #expect(reports(server).isEmpty)
  }

  @Test("What waits is cut where the client resets the stream, and where the connection ends") func cut() {
    let server = server(window: 0)
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: true))
    server.session.respond(1, Self.refusal)
    server.session.respond(3, Self.refusal)
    _ = server.output()
    _ = reports(server)
    server.receive(.reset(1))
    #expect(reports(server) == [AnswerReport(1, .cut)])
    server.session.giveUpAnswers()
    #expect(server.session.takeAnswerReports() == [AnswerReport(3, .cut)])
  }

  @Test("What was given and not written is lost with the connection; a stream left open deliberately is not")
  func lost() {
    let server = server(window: 65_535)
    for stream in [1, 3, 5] as [Int32] { server.receive(.headers(stream, .post, ends: true)) }
    server.session.respond(1, .success)
    server.session.respond(3, Self.refusal, in: BodySplit(sizes: [1], end: .never))
    server.session.giveUpAnswers()
    #expect(server.session.takeAnswerReports() == [AnswerReport(1, .lost)])
  }

  @Test(
    "A frozen connection sends nothing: the answer waits, and is sent after the thaw, or never",
    arguments: [true, false])
  func frozen(thaws: Bool) {
    let server = server(window: 65_535)
    server.receive(.headers(1, .post, ends: true))
    server.session.respond(1, .success)
    server.session.reportFrozenAnswers()
    server.session.reportFrozenAnswers()
    #expect(server.session.takeAnswerReports() == [AnswerReport(1, .waitsFrozen)])
    // PINGs are answered, and the frames of the answer are kept.
    #expect(!server.session.fillOnlyPings().held.isEmpty)
    #expect(server.session.takeAnswerReports().isEmpty)
    if thaws { server.session.releaseDivertedAnswers() } else { server.session.giveUpAnswers() }
    #expect(server.session.takeAnswerReports() == [AnswerReport(1, thaws ? .left : .lost)])
  }

  @Test("A GOAWAY below a stream drops its answer; below one whose body waits, truncates it") func leftOut() {
    let server = server(window: 0)
    for stream in [1, 3, 5] as [Int32] { server.receive(.headers(stream, .post, ends: true)) }
    server.session.respond(3, Self.refusal)
    _ = server.output()
    _ = reports(server)
    server.session.goAway(lastStream: 1, .noError)
    _ = server.output()
    #expect(reports(server) == [AnswerReport(5, .leftOut), AnswerReport(3, .cut)])
    server.session.giveUpAnswers()
    #expect(reports(server).isEmpty)
  }

  @Test(
    "An answer of the same turn that a GOAWAY drops is never sent, and left out",
    arguments: [true, false])
  func leftOutAtOnce(hasBody: Bool) {
    let response = hasBody ? Self.refusal : .success
    let server = server(window: 65_535)
    for stream in [1, 3, 5] as [Int32] { server.receive(.headers(stream, .post, ends: true)) }
    server.session.respond(1, response)
    server.session.respond(3, response)
    server.session.respond(5, response, in: BodySplit(sizes: [3]))
    server.session.goAway(lastStream: 1, .noError)
    #expect(Set(server.frames().map(\.stream)) == [0, 1])
    #expect(reports(server) == [AnswerReport(3, .leftOut), AnswerReport(5, .leftOut)])
    server.session.giveUpAnswers()
    #expect(reports(server).isEmpty)
  }

  @Test(
    "An answer whose fields are being sent when a GOAWAY drops it is cut if it has a body", arguments: [true, false])
  func droppedHalfSent(hasBody: Bool) {
    let server = server(window: 65_535)
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: true))
    server.session.respond(3, hasBody ? Self.refusal : .success)
    var bytes: [UInt8] = [0]
    let first = bytes.withUnsafeMutableBytes { server.session.fill($0) }
    #expect(first == 1)
    server.session.goAway(lastStream: 1, .noError)
    #expect(Frame.parse(bytes + server.output()).map(\.kind) == [.headers, .goAway])
    #expect(reports(server) == (hasBody ? [AnswerReport(3, .cut)] : []))
  }

  @Test("An answer that a GOAWAY drops is lost if the connection ends before the GOAWAY is sent") func droppedAndLost()
  {
    let server = server(window: 65_535)
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: true))
    server.session.respond(3, Self.refusal)
    server.session.goAway(lastStream: 1, .noError)
    server.session.giveUpAnswers()
    #expect(server.session.takeAnswerReports() == [AnswerReport(3, .lost)])
  }

  @Test("A reset by the caller is not reported to the caller") func asked() {
    let server = server(window: 65_535)
    server.receive(.headers(1, .post, ends: true))
    server.session.reset(1, .cancel)
    _ = server.output()
    #expect(reports(server).isEmpty)
  }

  enum Ending: CaseIterable { case reset, connection, goAway, goAwayAndConnection }

  private func end(_ server: Server, by ending: Ending) -> [AnswerReport] {
    switch ending {
    case .reset: server.receive(.reset(3))
    case .connection: server.session.giveUpAnswers()
    case .goAway, .goAwayAndConnection: server.session.goAway(lastStream: 1, .noError)
    }
    if ending == .goAwayAndConnection { server.session.giveUpAnswers() } else { _ = server.output() }
    return reports(server)
  }

  private func answeredInPieces(window: UInt32, _ split: BodySplit, _ answer: HTTPResponse = Self.refusal) -> Server {
    let server = server(window: window)
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: true))
    server.session.respond(3, answer, in: split)
    return server
  }

  @Test(
    "An answer in pieces that ends in a pause is cut, and one without an end that is awaited is not reported",
    arguments: Ending.allCases, [BodySplit.End.withLastPiece, .apart, .never])
  func cutInPause(ending: Ending, end: BodySplit.End) {
    for pieces in 0...(end == .apart ? 2 : 1) {
      let server = answeredInPieces(window: 65_535, BodySplit(sizes: [5, 3], end: end, pause: .seconds(30)))
      _ = server.output()
      for _ in 0..<pieces {
        _ = server.session.continueSplit(3)
        _ = server.output()
      }
      #expect(reports(server).isEmpty, "a pause is no waiting")
      #expect(self.end(server, by: ending) == (end == .never ? [] : [AnswerReport(3, .cut)]), "\(pieces)")
      if ending != .connection { server.session.giveUpAnswers() }
      #expect(reports(server).isEmpty)
    }
  }

  @Test("An answer in pieces of which nothing was written ends like any other", arguments: Ending.allCases)
  func nothingWritten(ending: Ending) {
    let server = answeredInPieces(window: 65_535, BodySplit(sizes: [5], pause: .seconds(30)))
    let kinds: [Ending: AnswerReport.Kind] = [
      .reset: .clientReset, .connection: .lost, .goAway: .leftOut, .goAwayAndConnection: .lost,
    ]
    #expect(end(server, by: ending) == [AnswerReport(3, kinds[ending] ?? .left)])
  }

  @Test(
    "An answer in pieces waits for the window like any other, and leaves or is cut; a body that is empty too",
    arguments: [nil, .reset, .connection, .goAway, .goAwayAndConnection] as [Ending?], [true, false])
  func piecesInWindow(ending: Ending?, hasBody: Bool) {
    let server = answeredInPieces(
      window: hasBody ? 10 : 0, BodySplit(sizes: [5, 30], end: .apart), hasBody ? Self.refusal : .success)
    _ = server.output()
    #expect(reports(server) == [AnswerReport(3, .waitsForWindow)])
    #expect(reports(server).isEmpty)
    if let ending {
      #expect(end(server, by: ending) == [AnswerReport(3, .cut)])
    } else {
      server.receive(.windowUpdate(3, 500))
      _ = server.output()
      #expect(reports(server) == [AnswerReport(3, .left)])
    }
    if ending != .connection { server.session.giveUpAnswers() }
    #expect(reports(server).isEmpty)
  }

  @Test("Frames kept on a frozen connection are nothing to the client: only a piece sent before, or the thaw, is")
  func piecesFrozen() {
    for (before, thaws) in [(false, false), (false, true), (true, false), (true, true)] {
      let server = answeredInPieces(window: 65_535, BodySplit(sizes: [5, 3], pause: .seconds(30)))
      if before { _ = server.output() }
      server.session.reportFrozenAnswers()
      #expect(reports(server) == [AnswerReport(3, .waitsFrozen)])
      _ = server.session.continueSplit(3)
      _ = server.session.fillOnlyPings()
      if thaws { server.session.releaseDivertedAnswers() }
      server.session.giveUpAnswers()
      #expect(reports(server) == [AnswerReport(3, before || thaws ? .cut : .lost)])
    }
  }
}
