import APNs
import Timeline
import WireFormats

@testable import Devices

/// Deferred pushes of which only the number and the reason matter.
extension DeferredPush {
  private static let request = HTTPRequest("POST", "/", fields: [], body: [])

  convenience init(_ number: Int, _ reason: Reaction.Hold = .lowPriority) {
    let push = ArrivingPush(
      number: UInt64(number), request: Self.request, priority: .immediate, type: .liveactivity)
    self.init(push: push, timestamp: 0, parsed: nil, reason: reason)
  }

  var number: Int { Int(push.number) }
}

extension DeferralKey {
  static let a = numbered(0)
  static let b = numbered(1)
  static let c = numbered(2)
  static let d = numbered(3)

  static func numbered(_ number: Int) -> DeferralKey { .activity(app: 0, UInt32(number)) }
}

extension DeferredPushes {
  /// The device is awake: takes out all pushes of low priority, together with all that are due, in that order.
  mutating func flush(_ cause: LowPriorityPlan.FlushCause, _ plan: LowPriorityPlan, at now: Instant) -> [Release] {
    makeDue(cause, plan, at: now)
    var released: [Release] = []
    while let next = takeDue(by: now) { released.append(next) }
    return released
  }
}
