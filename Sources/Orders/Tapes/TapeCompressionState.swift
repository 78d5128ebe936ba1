import Simulation
import Timeline
import WireFormats

/// The recent contents of a tape, which are not written again. Writer and reader keep the same state.
///
/// Everything is bounded, and entries are dropped by rules that both follow.
struct TapeCompressionState: Sendable {
  /// The last request on a connection.
  struct Talk: Sendable {
    var request: HTTPRequest
    var stream: Int32
  }

  private static let mostConnections = 4096
  private static let mostWords = 4096
  /// Long values such as device tokens: in a fleet of this size, each token is written once.
  static let mostValues = 32_768

  var now = Now(Instant(nanoseconds: 0))
  /// The world's time at the last call, or when it began.
  var reached = Instant.distantPast
  private var talks: [UInt64: Talk] = [:]
  /// The last request on any connection.
  private var latest = HTTPRequest(storage: [], bodyStart: 0)
  /// Labels of events, in the order of first occurrence.
  private(set) var words: [String] = []
  /// Values in the order of occurrence; the oldest is overwritten.
  private(set) var values: [[UInt8]] = []
  private var nextValue = 0
  /// The label of the last call that caused exactly one event.
  var lastWord: String?
  /// The connection of the last request.
  var connection: UInt64 = 0

  /// The request that a new one on that connection is compared with.
  func talk(on connection: UInt64) -> Talk { talks[connection] ?? Talk(request: latest, stream: -1) }

  mutating func remember(_ request: HTTPRequest, on connection: UInt64, stream: Int32) {
    if talks.count >= Self.mostConnections, talks[connection] == nil { talks = [:] }
    talks[connection] = Talk(request: request, stream: stream)
    latest = request
    self.connection = connection
  }

  mutating func forget(_ connection: UInt64) { talks[connection] = nil }

  /// Stores a label, if there is room.
  mutating func learn(_ word: String) {
    if words.count < Self.mostWords { words.append(word) }
  }

  /// Stores a value.
  ///
  /// - Returns: its index, and the value that was there before.
  @discardableResult
  mutating func keep(_ value: [UInt8]) -> (place: Int, old: [UInt8]?) {
    guard values.count == Self.mostValues else {
      values.append(value)
      return (values.count - 1, nil)
    }
    let place = nextValue
    nextValue = (nextValue + 1) % Self.mostValues
    let old = values[place]
    values[place] = value
    return (place, old)
  }
}
