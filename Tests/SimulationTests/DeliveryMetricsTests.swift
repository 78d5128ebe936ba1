import APNs
import Devices
import TestSupport
import Testing
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("Delivery metrics")
struct DeliveryMetricsTests {
  private static let noon = Instant(seconds: 1_772_366_400)

  private static func push(_ number: UInt64, _ fate: Fate, at time: Instant, app: Int = 0) -> PushRecord {
    let request = HTTPRequest("POST", "/3/device/00", fields: [("apns-push-type", "alert")], body: [])
    return PushRecord(
      .init(
        .init(sequence: number, at: Now(world: time, wall: time), stream: StreamID(ProviderConnectionID(1), 1)),
        push: ParsedPush(request, in: .sandbox),
        answer: PushAnswer(id: NotificationID(bits: (number, 0)), uniqueID: nil, rejection: nil), keyNumber: 0,
        address: Address(device: DeviceID(1), app: app, slot: .app, generation: 0), outcome: .init(fate: fate)))
  }

  private static func sum(_ metrics: DeliveryMetrics, _ status: DeliveryStatus) -> UInt64 {
    metrics.rows.reduce(0) { $0 + $1.count(status) }
  }

  @Test("A push that waits for power and then for its phone counts as stored twice, and as delivered once")
  func storedTwice() {
    var logs = EventLogs(pushLogCapacity: 1)
    logs.read([.push(Self.push(1, .stored(.power(.lowPriority, until: Self.noon)), at: Self.noon))])
    let held = Fate.deliveredFromStorage(.held(.lowPriority, until: Self.noon))
    let dropped = Fate.deliveredFromStorage(.dropped(.activityNotActive, detail: nil))
    for fate in [.stored(.offline), held, dropped] {
      logs.read([.pushSettled(number: 1, DeviceID(1), fate, at: Self.noon)])
    }
    let metrics = logs.deliveries
    for status in [DeliveryStatus.received, .storedForPower, .storedOffline, .deliveredFromStorage] {
      #expect(Self.sum(metrics, status) == 1, "\(status)")
    }
    #expect(Self.sum(metrics, .delivered) == 0)
  }

  @Test("Hours older than 30 days are forgotten")
  func thirtyDays() {
    var metrics = DeliveryMetrics()
    for hour in 0..<800 {
      metrics.count(
        Self.push(UInt64(hour + 1), .discarded(.expired), at: Self.noon.advanced(by: .seconds(3600 * hour))))
    }
    let first = Self.noon.seconds / 3600
    #expect(metrics.rows.map(\.hour) == Array(first + 800 - DeliveryMetrics.hoursKept..<first + 800))
  }

  @Test("Rows are bounded: the oldest hours go first")
  func bounded() {
    var metrics = DeliveryMetrics()
    for hour in 0..<240 {
      for app in 0..<120 {
        metrics.count(
          Self.push(1, .discarded(.expired), at: Self.noon.advanced(by: .seconds(3600 * hour)), app: app))
      }
    }
    // A hundred apps, and one row for those beyond.
    #expect(metrics.rows.count <= DeliveryMetrics.mostRows + 101)
    #expect(metrics.rows.count > DeliveryMetrics.mostRows - 101)
    #expect(metrics.rows.last?.hour == Self.noon.seconds / 3600 + 239)
    // Those of the apps beyond share a row.
    #expect(metrics.rows.suffix(101).map { $0.count(.received) } == Array(repeating: 1, count: 100) + [20])
  }
}
