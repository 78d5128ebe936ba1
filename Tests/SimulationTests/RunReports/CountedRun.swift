import APNs
import Devices
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// A run made of single events, and the numbers of it.
struct CountedRun {
  static let began = Instant(seconds: 1_772_366_400)

  var logs = EventLogs(pushLogCapacity: 10, audits: true)
  private var number: UInt64 = 0

  /// The rule that rejects further pushes; nil if a fault does.
  var rule: Rule?
  /// Seconds of the simulated clock in a second of the machine's.
  private let pace: Double

  /// - Parameter pace: seconds of the simulated clock in a second of the machine's; nil if that is the clock.
  init(pace: Double? = nil) {
    self.pace = pace ?? 1
    logs.tally = RunTally(by: pace == nil ? .machine : .simulated)
  }

  var tally: RunTally { logs.tally ?? RunTally() }

  static func at(_ seconds: Double) -> Instant { began.advanced(nanoseconds: Int64(seconds * 1e9)) }

  /// Headers and payload of a push.
  struct Content {
    var type = "alert"
    var collapse: String?
    var id: String?
    var body = #"{"aps":{"alert":"Out!"}}"#

    static func update(_ timestamp: String, state: String = #"{"runs":4}"#) -> Content {
      Content(
        type: "liveactivity",
        body: #"{"aps":{"timestamp":\#(timestamp),"event":"update","content-state":\#(state)}}"#)
    }
  }

  static let applied = Fate.delivered(.updated(1, [], before: .init(content: .none, isStale: false)))

  /// A push to a device, so many seconds after the beginning.
  ///
  /// - Parameter reason: nil for 200.
  @discardableResult
  mutating func push(
    _ device: UInt32, at seconds: Double, _ content: Content = Content(), _ reason: RejectionReason? = nil,
    fate: Fate? = nil, sent: SentAnswer? = nil
  ) -> UInt64 {
    number += 1
    let rejection = reason.map { Rejection($0, by: rule) }
    let record = record(device, at: seconds, content, rejection, fate: fate, sent: sent)
    logs.read([.push(record)])
    return number
  }

  private func record(
    _ device: UInt32, at seconds: Double, _ content: Content, _ rejection: Rejection?, fate: Fate?, sent: SentAnswer?
  ) -> PushRecord {
    var fields = [(name: "apns-push-type", value: content.type), (name: "apns-topic", value: "com.example.app")]
    if let collapse = content.collapse { fields.append((name: "apns-collapse-id", value: collapse)) }
    if let id = content.id { fields.append((name: "apns-id", value: id)) }
    let request = HTTPRequest("POST", "/3/device/00", fields: fields, body: Array(content.body.utf8))
    let now = Now(world: Self.at(seconds), wall: Self.at(seconds / pace))
    return PushRecord(
      .init(
        .init(sequence: number, at: now, stream: StreamID(ProviderConnectionID(1), 1)),
        push: ParsedPush(request, in: .sandbox),
        answer: PushAnswer(
          id: NotificationID(bits: (number, 0)), uniqueID: nil, rejection: rejection),
        keyNumber: 0, address: Address(device: DeviceID(device), app: 0, slot: .app, generation: 0),
        outcome: .init(fate: rejection == nil ? fate ?? Self.applied : .refused, sent: sent)))
  }

  mutating func settle(_ push: UInt64, _ fate: Fate, at seconds: Double) {
    logs.read([.pushSettled(number: push, DeviceID(0), fate, at: Self.at(seconds))])
  }

  func report(isVirtual: Bool = false, processors: RunReport.Processors? = nil) -> RunReport {
    RunReport(
      .init(
        command: "pushpit serve", program: "1.0.0", plan: FleetPlan(devices: 10, seed: 1), began: Self.began,
        isVirtual: isVirtual), logs, processors: processors)
  }
}
