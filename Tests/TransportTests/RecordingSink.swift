import HTTP2
import Transport
import WireFormats

/// Writes down what it is told and answers as the test says.
final class RecordingSink: PushSink {
  enum Event: Sendable {
    case opened(ConnectionInfo)
    case received([IncomingRequest], ConnectionID, token: UInt64)
    case cancelled([Int32])
    case ignored([Int32])
    case unserved([UnservedStream])
    case closed(CloseReason, token: UInt64)
    case trouble(ConnectionTrouble)
    /// The loops have been told to drain.
    case draining
    case reported
    case drained
  }

  typealias Answer = @Sendable (IncomingRequest, inout Effects) -> Void
  typealias Welcome = @Sendable (ConnectionInfo, inout Effects) -> Void

  let events: AsyncStream<Event>
  let record: AsyncStream<Event>.Continuation
  private let answer: Answer
  private let welcome: Welcome
  /// Requests taken at a time; nil is all.
  private let takes: Int?

  init(takes: Int? = nil, welcome: @escaping Welcome = { _, _ in }, _ answer: @escaping Answer) {
    self.takes = takes
    self.welcome = welcome
    (events, record) = AsyncStream.makeStream()
    self.answer = answer
  }

  func opened(_ connection: ConnectionInfo, into effects: inout Effects) -> ConnectionSetup {
    welcome(connection, &effects)
    record.yield(.opened(connection))
    return ConnectionSetup(token: 1000 + connection.id.number)
  }

  func received(
    _ requests: [IncomingRequest], on connection: ConnectionID, token: UInt64, state: AnyObject?,
    into effects: inout Effects
  ) -> Int {
    let taken = Array(requests.prefix(takes ?? requests.count))
    for request in taken { answer(request, &effects) }
    record.yield(.received(taken, connection, token: token))
    return taken.count
  }

  func cancelled(_ streams: [Int32], on connection: ConnectionID, token: UInt64) { record.yield(.cancelled(streams)) }

  func ignored(_ streams: [Int32], on connection: ConnectionID, token: UInt64) { record.yield(.ignored(streams)) }

  func unserved(_ streams: [UnservedStream], on connection: ConnectionID, token: UInt64) {
    record.yield(.unserved(streams))
  }

  func closed(_ connection: ConnectionID, token: UInt64, why: CloseReason) {
    record.yield(.closed(why, token: token))
  }

  func trouble(_ trouble: ConnectionTrouble) { record.yield(.trouble(trouble)) }

  // MARK: Waiting

  /// The first event from now on of which `pick` makes something.
  func first<Found>(_ pick: (Event) -> Found?) async -> Found? {
    for await event in events {
      if let found = pick(event) { return found }
    }
    return nil
  }

  func nextTrouble() async -> ConnectionTrouble.Kind? {
    await first { if case .trouble(let trouble) = $0 { trouble.kind } else { nil } }
  }

  func nextOpened() async -> ConnectionInfo? {
    await first { if case .opened(let info) = $0 { info } else { nil } }
  }

  func nextReceived() async -> (requests: [IncomingRequest], connection: ConnectionID)? {
    await first { if case .received(let requests, let connection, _) = $0 { (requests, connection) } else { nil } }
  }

  func nextClosed() async -> CloseReason? {
    await first { if case .closed(let why, _) = $0 { why } else { nil } }
  }

  func draining() async -> Bool? { await first { if case .draining = $0 { true } else { nil } } }

  func drained() async -> Bool? { await first { if case .drained = $0 { true } else { nil } } }
}

extension HTTPResponse {
  static let success = HTTPResponse(status: 200, fields: HTTPFields([("apns-id", "A-1")]), body: [])
}
