import HTTP2
import TestSupport
import WireFormats

/// A session that reads the bytes of one client, cut anywhere, and the actions of the server between two pieces; beside
/// it a model of what each request must have been and what each answer must be.
final class AnywhereRun {
  struct Answer {
    let status: String
    let id: String
    let body: [UInt8]
    let end: BodySplit.End
    /// True if the body must have left in one DATA frame.
    let isWhole: Bool
    /// A reset or GOAWAY came behind it: it may be cut off.
    var mayBeCut = false
  }

  struct Received: Equatable {
    var fields: [String: String]?
    var body: [UInt8] = []
    var dataFrames = 0
    var ended = false
    var resets: [UInt32] = []
  }

  enum State: Equatable {
    case arriving
    case awaiting
    case answered
    /// Reset by either side, or above the last stream of a GOAWAY.
    case over
  }

  private(set) var problems: [String] = []
  private var dice: Dice
  private let server = Server { $0.announcedStreams = 1000 }
  private let packer = HeaderPacker()
  private let client: AnywhereClient
  private var states: [Int32: State] = [:]
  private var answers: [Int32: Answer] = [:]
  private var received: [Int32: Received] = [:]
  /// Requests that came whole and were not handed out: they must have been refused or ignored.
  private var missing: Set<Int32> = []
  private var ignored: Set<Int32> = []
  private var mayRefuse = false
  private var lastServed = Int32.max
  private var nextMark = 0
  private var initialWindow = 65_535
  private var windows: [Int32: Int] = [0: 65_535]
  private var sent: [Int32: Int] = [:]
  private var unread: [UInt8] = []
  private var answerCount = 0

  init(seed: UInt64) {
    dice = Dice(seed: seed)
    client = AnywhereClient(&dice, packer)
  }

  /// - Returns: what went wrong.
  func play() -> [String] {
    var at = 0
    let longest = [3, 40, 400][dice.below(3)]
    while at < client.bytes.count {
      let count = min(1 + dice.below(longest), client.bytes.count - at)
      receive(Array(client.bytes[at..<(at + count)]), upTo: at + count)
      at += count
      if longest > 3 || dice.oneIn(10) {
        for _ in 0..<dice.below(4) { act() }
      }
    }
    finish()
    return problems
  }

  private func expect(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { problems.append(what()) }
  }

  // MARK: What comes in

  private func receive(_ bytes: [UInt8], upTo end: Int) {
    server.session.clearArrivals()
    bytes.withUnsafeBytes { server.session.receive($0) }
    let arrived = server.session.arrived
    let cancelled = Set(server.session.cancelled)
    ignored.formUnion(server.session.ignored)
    server.session.clearArrivals()
    expect(server.session.failure == nil, "the session failed: \(String(describing: server.session.failure))")
    var whole: [Int32] = []
    var taken: [Int32] = []
    while nextMark < client.marks.count, client.marks[nextMark].at <= end {
      switch client.marks[nextMark].mark {
      case .ended(let stream): if states[stream] != .over { whole.append(stream) }
      case .reset(let stream):
        if states[stream] == .awaiting || whole.contains(stream), !missing.contains(stream) { taken.append(stream) }
        answers[stream]?.mayBeCut = true
        states[stream] = .over
      case .initialWindow(let size): initialWindow = size
      case .window(let stream, let more): windows[stream, default: 0] += more
      }
      nextMark += 1
    }
    let streams = arrived.map(\.stream)
    expect(streams == whole.filter(Set(streams).contains), "arrived \(streams), where \(whole) had come whole")
    for request in arrived { compare(request) }
    missing.formUnion(Set(whole).subtracting(streams))
    for stream in streams where states[stream] != .over { states[stream] = .awaiting }
    expect(cancelled == Set(taken).subtracting(missing), "cancelled \(cancelled), where \(taken) were")
  }

  private func compare(_ request: IncomingRequest) {
    guard let planned = client.requests[request.stream] else { return }
    let fields = request.request.fields.list
    expect(
      fields.map(\.name) == planned.fields.map(\.0) && fields.map(\.value) == planned.fields.map(\.1),
      "stream \(request.stream) has the fields \(fields), where \(planned.fields) were sent")
    expect(
      Array(request.request.body) == planned.body,
      "stream \(request.stream) has a body of \(request.request.bodyCount) bytes, not the \(planned.body.count) sent")
  }

  // MARK: What the server does

  private func act() {
    let stream = Int32(2 * dice.below(client.requests.count + 1) + 1)
    switch dice.below(20) {
    case 0..<6: answer(stream)
    case 6..<9: answerInPieces(stream)
    case 9, 10: _ = server.session.continueSplit(stream)
    case 11 where dice.oneIn(4): reset(stream)
    case 12 where dice.oneIn(8):
      mayRefuse = true
      server.session.limitStreams(dice.below(4))
    case 13 where mayRefuse: server.session.restoreStreamLimit()
    case 14 where dice.oneIn(8): goAway()
    case 15: server.session.ping()
    case 16: server.session.setWindow(65_535 + dice.below(100), withheld: dice.oneIn(2))
    default: read()
    }
  }

  private func nextAnswer() -> HTTPResponse {
    answerCount += 1
    let id = "answer-\(answerCount)"
    let body = dice.oneIn(3) ? [] : Array(dice.letters(dice.below(400)).utf8)
    return HTTPResponse(status: [200, 400, 410][dice.below(3)], fields: HTTPFields([("apns-id", id)]), body: body)
  }

  private func took(_ taken: Bool, _ stream: Int32, _ answer: HTTPResponse, _ end: BodySplit.End, whole: Bool) {
    let isDue = states[stream] == .awaiting
    expect(
      taken == isDue, "an answer to stream \(stream), which is \(String(describing: states[stream])), was \(taken)")
    guard taken else { return }
    states[stream] = .answered
    let isHead = client.requests[stream]?.isHead ?? false
    answers[stream] = Answer(
      status: String(answer.status), id: answer.fields["apns-id"] ?? "", body: isHead ? [] : answer.body,
      end: end, isWhole: whole && !client.isNarrow)
  }

  private func answer(_ stream: Int32) {
    let answer = nextAnswer()
    took(server.session.respond(stream, answer), stream, answer, .withLastPiece, whole: true)
  }

  private func answerInPieces(_ stream: Int32) {
    let answer = nextAnswer()
    let split = BodySplit(
      sizes: (0..<dice.below(4)).map { _ in dice.below(100) }, end: [.withLastPiece, .apart, .never][dice.below(3)],
      pause: dice.oneIn(2) ? nil : .seconds(1))
    took(server.session.respond(stream, answer, in: split), stream, answer, split.end, whole: false)
  }

  private func reset(_ stream: Int32) {
    let wasOver = states[stream] == .over
    let reset = server.session.reset(stream, .internalError)
    expect(!(reset && wasOver), "stream \(stream) was over and reset again")
    guard reset else { return }
    states[stream] = .over
    answers[stream]?.mayBeCut = true
  }

  private func goAway() {
    let last = Int32(2 * dice.below(client.requests.count + 1) + 1)
    server.session.goAway(lastStream: last, .noError)
    lastServed = min(lastServed, last)
    for stream in client.requests.keys where stream > lastServed {
      answers[stream]?.mayBeCut = true
      states[stream] = .over
    }
  }

  // MARK: What comes out

  private func read() {
    unread += server.output(piece: 1 + dice.below(500))
    while unread.count >= 9 {
      let count = 9 + (Int(unread[0]) << 16 | Int(unread[1]) << 8 | Int(unread[2]))
      guard unread.count >= count else { return }
      for frame in Frame.parse(Array(unread[..<count])) { understand(frame) }
      unread.removeFirst(count)
    }
  }

  private func understand(_ frame: Frame) {
    let stream = frame.stream
    switch frame.kind {
    case .headers:
      expect(received[stream]?.fields == nil, "stream \(stream) was answered twice")
      received[stream, default: Received()].fields = packer.unpack(frame.payload) ?? [:]
      if frame.flags & Frame.endStream != 0 { received[stream]?.ended = true }
    case .data:
      received[stream, default: Received()].body += frame.payload
      received[stream]?.dataFrames += 1
      if frame.flags & Frame.endStream != 0 { received[stream]?.ended = true }
      sent[stream, default: 0] += frame.payload.count
      sent[0, default: 0] += frame.payload.count
      let room = min(
        initialWindow + windows[stream, default: 0] - sent[stream, default: 0],
        windows[0, default: 0] - sent[0, default: 0]
      )
      expect(room >= 0 || frame.payload.isEmpty, "stream \(stream) sent \(-room) bytes more than its window")
    case .rstStream: received[stream, default: Received()].resets.append(frame.number(at: 0))
    default: break
    }
  }

  // MARK: The end

  private func finish() {
    for stream in client.requests.keys.sorted() where states[stream] == .awaiting { answer(stream) }
    windows[0, default: 0] += 1_000_000
    initialWindow = 1_000_000
    receive(
      Frame.settings([(UInt16(4), UInt32(1_000_000))]).bytes + Frame.windowUpdate(0, 1_000_000).bytes,
      upTo: client.bytes.count)
    read()
    for stream in client.requests.keys.sorted() {
      var turns = 0
      while server.session.continueSplit(stream), turns < 20 {
        read()
        turns += 1
      }
      read()
    }
    for stream in client.requests.keys.sorted() { judge(stream) }
    let unended = answers.values.filter { $0.end == .never && !$0.mayBeCut }.count
    expect(server.session.openStreamCount == unended, "\(server.session.openStreamCount) open, not \(unended)")
    expect(server.session.awaitingCount == 0, "\(server.session.awaitingCount) wait for an answer")
  }

  private func judge(_ stream: Int32) {
    let got = received[stream] ?? Received()
    let refused = got.resets.contains(ErrorCode.refusedStream.rawValue)
    expect(!refused || mayRefuse, "stream \(stream) was refused without a reason")
    if missing.contains(stream) {
      expect(refused || ignored.contains(stream), "stream \(stream) came whole, and nobody was told")
    }
    guard let answer = answers[stream] else {
      return expect(got.fields == nil && got.body.isEmpty, "stream \(stream) has an answer that nobody gave: \(got)")
    }
    expect(!refused, "stream \(stream) was answered and refused")
    if let fields = got.fields {
      expect(
        fields == [":status": answer.status, "apns-id": answer.id],
        "stream \(stream) was answered with \(fields), not with \(answer.id)")
    }
    guard !answer.mayBeCut else {
      return expect(answer.body.starts(with: got.body), "stream \(stream) has another's body")
    }
    expect(got.fields != nil, "stream \(stream) got no answer")
    expect(got.body == answer.body, "stream \(stream) has a body of \(got.body.count), not \(answer.body.count) bytes")
    expect(got.ended == (answer.end != .never), "stream \(stream) ended: \(got.ended)")
    if answer.isWhole { expect(got.dataFrames <= 1, "stream \(stream): \(got.dataFrames) DATA frames") }
  }
}
