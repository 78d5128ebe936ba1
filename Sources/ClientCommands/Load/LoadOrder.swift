import Grammar
import Timeline
import Transport

/// The arguments of `pushpit load`.
package struct LoadOrder: Sendable {
  package var kind = LoadKind.notification
  /// Nil for as fast as possible.
  package var rate: SendingRate?
  package var count: UInt64?
  /// Nil if only the count ends the run.
  package var duration: Duration?
  package var connections = 4
  package var streams = 100
  package var threads = 1
  package var priority: String?
  /// Nil for the usual payload of the kind.
  package var payload: [UInt8]?
  package var app: String?
  package var topic: String?
  /// A file with device tokens; nil for those of the admin API.
  package var tokens: String?
  /// The channel of broadcasts; nil for the one with the most subscribers.
  package var channel: String?
  /// The maximum number of tokens that are used.
  package var devices: Int?
  package var keyID: String?
  package var isProduction = false
  /// True if the pushes have an `apns-id`.
  package var hasIDs = true
  package var allowedHosts: [String] = []
  /// The conditions under which the run fails.
  package var thresholds: [LoadThreshold] = []

  package init() {}

  package static let usualDuration = Duration.seconds(10)
  package static let usualDevices = 10_000
  /// Broadcasts without a rate: as many as Pushpit can take would only wait for each other.
  static let usualBroadcasts = SendingRate(10)
  private static let mostCount: UInt64 = 1_000_000_000_000
  private static let mostDuration = Duration.seconds(7 * 86400)
  private static let leastRate = 0.001
  private static let mostRate = 1_000_000.0

  /// The number of tokens that are read.
  package var mostTokens: Int {
    devices ?? Int(min(kind == .broadcast ? .max : count ?? .max, UInt64(Self.usualDevices)))
  }

  /// The order with what is left out, and with a ramp over the whole run.
  var completed: LoadOrder {
    var order = self
    if count == nil, duration == nil { order.duration = Self.usualDuration }
    if kind == .broadcast, rate == nil { order.rate = Self.usualBroadcasts }
    order.rate = order.rate?.over(seconds: order.duration.map { $0 / .seconds(1) }, count: count)
    return order
  }

  // MARK: Values of flags

  /// The value of --for.
  package static func duration(_ text: String) throws(InputProblem) -> Duration {
    guard let duration = DurationText.parse(text) else {
      throw InputProblem("--for must be a duration such as 30s or 10m, not \"\(text)\".")
    }
    return duration
  }

  /// The value of --rate: a number, or two with `..` between them.
  package static func rate(_ text: String) throws(InputProblem) -> SendingRate {
    let ends = text.split(separator: "..", omittingEmptySubsequences: false).map { end -> Double? in
      let isPlain = end.first?.isNumber == true && end.allSatisfy { $0.isNumber || $0 == "." }
      return isPlain ? Double(end) : nil
    }
    switch ends.count {
    case 1:
      if let rate = ends[0], (leastRate...mostRate).contains(rate) { return SendingRate(rate) }
    case 2:
      if let first = ends[0], let last = ends[1], first == 0 || (leastRate...mostRate).contains(first),
        (leastRate...mostRate).contains(last)
      {
        return SendingRate(first, to: last)
      }
    default: break
    }
    throw InputProblem(
      "--rate must be pushes a second from 0.001 to 1000000 such as 500, or a ramp such as 100..5000, which may begin"
        + " at 0, not \(Wording.quoted(text)); without it, they are sent as fast as possible.")
  }

  /// The value of --kind.
  package static func kind(_ word: String) throws(InputProblem) -> LoadKind {
    if let kind = LoadKind(rawValue: word) { return kind }
    let words = LoadKind.allCases.map(\.rawValue)
    throw InputProblem(
      "--kind must be \(Wording.list(words, "or")), not \(Wording.quoted(word))"
        + Wording.suggestion(for: word, among: words))
  }

  // MARK: Checks

  package func check() throws(InputProblem) {
    if let count {
      guard (1...Self.mostCount).contains(count) else {
        throw InputProblem("--count must be a number of pushes from 1 to \(Self.mostCount).")
      }
    }
    if let duration {
      guard duration >= .milliseconds(1), duration <= Self.mostDuration else {
        throw InputProblem("--for must be a duration from 1ms to 7d, such as 30s or 10m.")
      }
    }
    try Self.check("--connections", number: connections, in: 1...1000)
    try Self.check("--streams", number: streams, in: 1...1000)
    try Self.check("--threads", number: threads, in: 1...64)
    guard threads <= connections else {
      throw InputProblem("--threads must not be more than --connections, because a connection has one thread.")
    }
    if let devices { try Self.check("--devices", number: devices, in: 1...10_000_000) }
    try checkTarget()
  }

  private func checkTarget() throws(InputProblem) {
    if let priority, !["1", "5", "10"].contains(priority) {
      throw InputProblem("--priority must be 1, 5 or 10, not \"\(priority)\".")
    }
    if kind == .broadcast {
      if tokens != nil { throw InputProblem("--tokens are not for broadcasts, which go to a channel: use --channel.") }
      if topic != nil { throw InputProblem("--topic is not for broadcasts, which go to a channel: use --app.") }
    } else if channel != nil {
      throw InputProblem("--channel is for broadcasts only: use --kind broadcast.")
    }
  }

  private static func check(_ flag: String, number: Int, in range: ClosedRange<Int>) throws(InputProblem) {
    guard range.contains(number) else {
      throw InputProblem("\(flag) must be a number from \(range.lowerBound) to \(range.upperBound).")
    }
  }
}
