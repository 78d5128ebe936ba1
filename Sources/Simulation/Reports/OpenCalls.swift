import APNs
import Reporting
import Timeline

/// The calls of apps that were made and have not ended.
struct OpenCalls: Sendable {
  struct Call: Sendable {
    let device: DeviceID
    let app: Int
    let call: OutgoingCall
    let since: Instant
    /// True if the backend receives it but the app does not get the answer.
    var losesAnswer: Bool
    /// True if it is sent twice.
    var isDoubled: Bool
    /// The fault that loses its answer; nil if the settings do.
    var fault: String?
    /// True if it is on the wire; before, it is delayed in the world's time.
    fileprivate(set) var hasLeft = false

    init(
      device: DeviceID, app: Int, call: OutgoingCall, since: Instant, losesAnswer: Bool, isDoubled: Bool
    ) {
      self.device = device
      self.app = app
      self.call = call
      self.since = since
      self.losesAnswer = losesAnswer
      self.isDoubled = isDoubled
    }
  }

  private(set) var list: [UInt64: Call] = [:]
  /// Number of open calls that wait for an answer from the network.
  private(set) var onWire = 0
  /// Number of calls so far.
  private(set) var count: UInt64 = 0

  /// - Parameter count: number of calls before.
  init(after count: UInt64 = 0) { self.count = count }

  /// The number of another call.
  mutating func nextNumber() -> UInt64 {
    count += 1
    return count
  }

  mutating func add(_ call: Call, number: UInt64) { list[number] = call }

  mutating func change(_ number: UInt64, _ change: (inout Call) -> Void) {
    guard var call = list[number] else { return }
    change(&call)
    list[number] = call
  }

  /// A call is sent.
  ///
  /// - Returns: the call; nil if it has ended, or was sent before.
  mutating func launch(_ number: UInt64) -> Call? {
    guard var call = list[number], !call.hasLeft else { return nil }
    call.hasLeft = true
    onWire += 1
    list[number] = call
    return call
  }

  /// A call has ended.
  ///
  /// - Returns: the call; nil if it had ended before.
  mutating func close(_ number: UInt64) -> Call? {
    guard let call = list.removeValue(forKey: number) else { return nil }
    if call.hasLeft { onWire -= 1 }
    return call
  }
}
