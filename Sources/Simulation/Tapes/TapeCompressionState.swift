import Timeline
import WireFormats

/// What a tape has said lately, so that it need not say it again. Whoever writes it and whoever reads it keep the same.
///
/// All of it is bounded, and what is dropped is dropped by rules that both follow.
struct TapeCompressionState: Sendable {
  /// What was last heard on a connection.
  struct Talk: Sendable {
    var request: HTTPRequest
    var stream: Int32
  }

  private static let mostConnections = 4096
  private static let mostWords = 4096
  /// Long values such as device tokens: a fleet of this size costs each token once.
  static let mostValues = 32_768

  var now = Now(Instant(nanoseconds: 0))
  private var talks: [UInt64: Talk] = [:]
  /// On whatever connection.
  private var latest = HTTPRequest(storage: [], bodyStart: 0)
  /// Texts that stand for events, in the order in which they first came.
  private(set) var words: [String] = []
  /// Values in the order in which they came, the oldest written over.
  private(set) var values: [[UInt8]] = []
  private var nextValue = 0
  /// The word of the last call from which one event came.
  var lastWord: String?
  /// The connection of the last request.
  var connection: UInt64 = 0

  /// What a request on that connection is likely to look like.
  func talk(on connection: UInt64) -> Talk { talks[connection] ?? Talk(request: latest, stream: -1) }

  mutating func remember(_ request: HTTPRequest, on connection: UInt64, stream: Int32) {
    if talks.count >= Self.mostConnections, talks[connection] == nil { talks.removeAll() }
    talks[connection] = Talk(request: request, stream: stream)
    latest = request
    self.connection = connection
  }

  mutating func forget(_ connection: UInt64) { talks[connection] = nil }

  /// Keeps a word, and says whether there was room.
  mutating func learn(_ word: String) {
    if words.count < Self.mostWords { words.append(word) }
  }

  /// Keeps a value.
  ///
  /// - Returns: its place, and the value that had it.
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
