import APNs
import Devices
import Timeline
import WireFormats

@testable import Simulation

/// A run made of single events, and the numbers of it.
struct CountedRun {
  static let began = Instant(seconds: 1_772_366_400)

  var logs = EventLogs(pushLogCapacity: 10, audits: true)
  /// The fault that strikes all further pushes.
  var fault: String?
  private var number: UInt64 = 0

  init() { logs.tally = RunTally() }

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
    let record = record(device, at: seconds, content, reason, fate: fate, sent: sent)
    logs.read([.push(record)])
    return number
  }

  private func record(
    _ device: UInt32, at seconds: Double, _ content: Content, _ reason: RejectionReason?, fate: Fate?,
    sent: SentAnswer?
  ) -> PushRecord {
    var fields = [(name: "apns-push-type", value: content.type), (name: "apns-topic", value: "com.example.app")]
    if let collapse = content.collapse { fields.append((name: "apns-collapse-id", value: collapse)) }
    if let id = content.id { fields.append((name: "apns-id", value: id)) }
    let request = HTTPRequest("POST", "/3/device/00", fields: fields, body: Array(content.body.utf8))
    let now = Self.at(seconds)
    return PushRecord(
      .init(
        .init(sequence: number, at: Now(world: now, wall: now), stream: StreamID(ProviderConnectionID(1), 1)),
        ParsedPush(request, in: .sandbox),
        PushAnswer(
          id: NotificationID(bits: (number, 0)), uniqueID: nil, rejection: reason.map { Rejection($0, by: nil) }),
        keyNumber: 0, address: Address(device: DeviceID(device), app: 0, slot: .app, generation: 0),
        .init(fate: reason == nil ? fate ?? Self.applied : .refused, fault: fault, sent: sent)))
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
