import APNs
import Grammar
import Timeline

/// What `pushpit load` is asked for.
package struct LoadOrder: Sendable {
  /// Pushes a second; nil for as fast as possible.
  package var rate: Double?
  package var count: UInt64?
  /// Nil if only the count ends the run.
  package var duration: Duration?
  package var connections = 4
  package var streams = 100
  package var threads = 1
  package var pushType = "alert"
  package var priority: String?
  /// Nil for the usual payload of the push type.
  package var payload: [UInt8]?
  package var app: String?
  package var topic: String?
  /// A file with device tokens; nil for those of the admin API.
  package var tokens: String?
  /// How many tokens are used at most.
  package var devices: Int?
  package var keyID: String?
  package var isProduction = false
  /// Whether the pushes have an `apns-id`.
  package var hasIDs = true
  package var allowedHosts: [String] = []

  package init() {}

  package static let usualDuration = Duration.seconds(10)
  package static let usualDevices = 10_000
  private static let pushTypes = ["alert", "background", "liveactivity"]
  private static let mostCount: UInt64 = 1_000_000_000_000
  private static let mostDuration = Duration.seconds(7 * 86400)

  /// The number of tokens that are read.
  package var mostTokens: Int { devices ?? Int(min(count ?? .max, UInt64(Self.usualDevices))) }

  /// The value of --for.
  package static func duration(_ text: String) throws(InputProblem) -> Duration {
    guard let duration = DurationText.parse(text) else {
      throw InputProblem("--for must be a duration such as 30s or 10m, not \"\(text)\".")
    }
    return duration
  }

  package func check() throws(InputProblem) {
    if let rate {
      guard rate >= 0.001, rate <= 1_000_000 else {
        throw InputProblem(
          "--rate must be from 0.001 to 1000000 pushes a second; without it, they are sent as fast as possible.")
      }
    }
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
    try Self.check("--connections", connections, 1...1000)
    try Self.check("--streams", streams, 1...1000)
    try Self.check("--threads", threads, 1...64)
    guard threads <= connections else {
      throw InputProblem("--threads must not be more than --connections, because a connection has one thread.")
    }
    if let devices { try Self.check("--devices", devices, 1...10_000_000) }
    try checkPush()
  }

  private func checkPush() throws(InputProblem) {
    guard Self.pushTypes.contains(pushType) else {
      throw InputProblem("--push-type must be \(Wording.list(Self.pushTypes, "or")), not \"\(pushType)\".")
    }
    if let priority, !["1", "5", "10"].contains(priority) {
      throw InputProblem("--priority must be 1, 5 or 10, not \"\(priority)\".")
    }
    guard pushType != "liveactivity" || payload != nil else {
      throw InputProblem(
        "--payload is needed for Live Activities, because its content-state belongs to your app.")
    }
  }

  private static func check(_ flag: String, _ number: Int, _ range: ClosedRange<Int>) throws(InputProblem) {
    guard range.contains(number) else {
      throw InputProblem("\(flag) must be a number from \(range.lowerBound) to \(range.upperBound).")
    }
  }
}
