import Pushpit
import Transport
import WireFormats

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `pushpit tail`: follows the events of a running server, and connects again when it goes away.
package struct EventTail: Sendable {
  package var query: [(name: String, value: String)] = []
  package var asJSON = false
  /// Number of lines after which it ends; nil for none.
  package var most: Int?

  package init() {}

  /// Seconds between attempts to connect again. Nothing announces that a server is back, so it can only be asked.
  private static let pause: UInt32 = 1

  /// - Parameters:
  ///   - write: receives lines of output.
  ///   - say: receives messages about the connection.
  /// - Throws: `CommandFailure` if the server cannot be reached at first, or refuses.
  package func follow(
    _ server: AdminAPI, write: @escaping (String) -> Void, say: (String) -> Void
  ) throws {
    try server.checkServer()
    let authority = server.authority()
    let following = Following(asJSON: asJSON, most: most, write: write)
    var isFirst = true
    while !following.isDone {
      var call = WebCall("GET", server.url + order(after: following.last).target, version: .http1)
      call.timeout = .zero
      let result = Result { () throws(WebCall.Failure) in try call.stream { following.take($0) } }
      if following.isDone { return }
      switch result {
      case .success(let reply) where reply.status != 200:
        let refusal = server.refusal(reply)
        // Another program may have the port until the server is back.
        if isFirst || refusal.exit != .noServer { throw refusal }
      case .failure(let failure) where isFirst && !following.hasBegun:
        throw server.noAnswer(failure)
      default: break
      }
      isFirst = false
      guard !following.startsOver else {
        guard server.authority() == authority else {
          throw CommandFailure(
            "The server has ended, and another one, with another certificate authority, is at \(server.url) now.",
            .noServer)
        }
        say("The server was started again.")
        following.begin()
        continue
      }
      if following.hasBegun { say("The server went away; trying again.") }
      following.begin()
      // No event tells that a server listens again.
      sleep(Self.pause)
    }
  }

  private func order(after last: String?) -> AdminAPI.Order {
    var order = AdminAPI.Order("v1", "events")
    order.query = query.filter { last == nil || $0.name != "after" } + (last.map { [("after", $0)] } ?? [])
    return order
  }
}

/// The progress of a client that follows events.
private final class Following {
  private let asJSON: Bool
  private let most: Int?
  private let write: (String) -> Void
  private var reader = EventStreamReader()
  private var written = 0
  private(set) var last: String?
  private var run: String?
  /// True if this connection has brought anything.
  private(set) var hasBegun = false
  /// True if the connection is to be opened again, from the beginning of another run of the server.
  private(set) var startsOver = false

  init(asJSON: Bool, most: Int?, write: @escaping (String) -> Void) {
    self.asJSON = asJSON
    self.most = most
    self.write = write
  }

  /// Another connection begins.
  func begin() {
    hasBegun = false
    startsOver = false
  }

  var isDone: Bool { most.map { written >= $0 } ?? false }

  /// - Returns: false to end the connection.
  func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if !hasBegun {
      // A message that the last connection left incomplete is not continued.
      reader = EventStreamReader()
      hasBegun = true
    }
    for message in reader.read(bytes) {
      if message.event == "begin", !takeRun(message) { return false }
      last = message.id ?? last
      for line in asJSON ? EventLines.writeJSON(message) : EventLines.write(message) where !isDone {
        write(line)
        written += 1
      }
      if isDone { return false }
    }
    return true
  }

  /// After a restart, the numbers begin again: everything that the new server keeps is new.
  private func takeRun(_ message: EventStreamReader.Message) -> Bool {
    let now = (try? JSONValue.parse(Array(message.data.utf8)))?["run"]?.string
    let before = run
    run = now
    guard before != nil, before != now, last != "0" else { return true }
    last = "0"
    startsOver = true
    return false
  }
}
