import HTTP2

/// The upper layer, as one connection reports to it.
///
///     unknown ──opened──▶ open ──closed──▶ closed
final class ConnectionSink {
  private enum State {
    case unknown
    case open
    case closed
  }

  private let sink: any PushSink
  private let id: ConnectionID
  private var state = State.unknown
  private var token: UInt64 = 0
  /// The upper layer's state of the connection.
  private var context: AnyObject?
  /// Answers given after writing had ended.
  private var lost: [AnswerReport] = []

  init(_ sink: any PushSink, _ id: ConnectionID) {
    self.sink = sink
    self.id = id
  }

  var isOpen: Bool { state == .open }

  func opened(_ info: ConnectionInfo, into effects: inout Effects) -> ConnectionSetup {
    let setup = sink.opened(info, into: &effects)
    token = setup.token
    context = setup.state
    state = .open
    return setup
  }

  /// No effect if the upper layer does not know the connection.
  func closed(_ why: CloseReason) {
    guard state == .open else { return }
    state = .closed
    sink.closed(id, token: token, why: why)
  }

  /// Passes requests and cancellations.
  ///
  /// - Returns: how many requests were accepted.
  func received(from session: HTTP2Session, into effects: inout Effects) -> Int {
    var taken = 0
    if !session.arrived.isEmpty {
      taken = sink.received(session.arrived, on: id, token: token, state: context, into: &effects)
    }
    if !session.cancelled.isEmpty { sink.cancelled(session.cancelled, on: id, token: token) }
    return taken
  }

  func reportUnserved(of session: HTTP2Session) {
    if !session.ignored.isEmpty { sink.ignored(session.takeIgnored(), on: id, token: token) }
    if !session.unserved.isEmpty { sink.unserved(session.takeUnserved(), on: id, token: token) }
  }

  @inline(__always)
  func reportAnswers(of session: HTTP2Session) {
    if !session.answerReports.isEmpty { sink.answers(session.takeAnswerReports(), on: id, token: token) }
  }

  /// Notes an answer that comes too late to be sent.
  func lose(_ effect: Effect) {
    switch effect {
    case .respond(let stream, _), .respondSplit(let stream, _, _): lost.append(AnswerReport(stream, .lost))
    default: break
    }
  }

  @inline(__always)
  func reportLostAnswers() {
    guard !lost.isEmpty else { return }
    sink.answers(lost, on: id, token: token)
    lost = []
  }
}
