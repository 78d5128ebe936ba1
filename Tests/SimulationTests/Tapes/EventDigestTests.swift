import Devices
import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("The checksum of an event on a tape")
struct EventDigestTests {
  /// Fields that no checksum needs, and why.
  private static let exempt: [(prefix: String, why: String)] = [
    ("push.facts.push.", "the tape contains the request; all of it but the environment is read from there"),
    ("push.facts.outcome.traits", "the session is found by what is in the checksum: key, device and request"),
    ("push.later", "a reader adds it"), ("push.lastSent", "a reader adds it"),
    ("channels.request", "the tape contains the request"),
    ("call.call.memory", "visible in the app's next call"), ("call.call.request", "the call was made from it"),
    ("call.call.scope", "the call was made from it"), ("call.call.followed", "visible in the app's next call"),
    ("callEnded.isDoubled", "the copy is an event of its own"),
  ]

  private static func isExempt(_ path: String) -> Bool {
    path != "push.facts.push.environment" && exempt.contains { path.hasPrefix($0.prefix) }
  }

  private static func digest(_ event: WorldEvent) -> UInt64 {
    var digest = EventDigest()
    digest.combine(event)
    return digest.whole
  }

  @Test("changes with each field that is visible from outside, and no field is forgotten")
  func fields() throws {
    var known: Set<String> = []
    var varied: Set<String> = []
    for group in try EventSamples.groups() {
      let first = try #require(group.first)
      let base = EventFields(first)
      known.formUnion(base.values.keys)
      for other in group.dropFirst() {
        let fields = EventFields(other)
        known.formUnion(fields.values.keys)
        let paths = base.differences(from: fields).sorted()
        #expect(!paths.isEmpty, "\(first)")
        #expect(Self.digest(first) != Self.digest(other), "\(paths)")
        if let path = EventFields.only(paths.filter { !Self.isExempt($0) }) { varied.insert(path) }
      }
    }
    let forgotten = known.subtracting(varied).filter { !Self.isExempt($0) }
    #expect(forgotten.sorted() == [], "vary each, or say why it is exempt")
    for (prefix, why) in Self.exempt { #expect(known.contains { $0.hasPrefix(prefix) }, "\(prefix): \(why)") }
  }

  @Test("the checksums of any two different events of any kind differ")
  func distinct() throws {
    var seen: [UInt64: EventFields] = [:]
    var kinds: Set<String> = []
    for event in try EventSamples.groups().joined() {
      let fields = EventFields(event)
      if let other = seen.updateValue(fields, forKey: Self.digest(event)) {
        #expect(other.differences(from: fields).isEmpty, "\(event)")
      }
      kinds.insert(Self.kind(event))
    }
    #expect(kinds.count == 16, "a new kind of event needs samples: \(kinds.sorted())")
    #expect(Set(EventSamples.deviceEvents.joined().map(\.name)) == Set(DeviceEvent.names))
  }

  /// Without a default, so that a new kind of event is noticed here.
  private static func kind(_ event: WorldEvent) -> String {
    switch event {
    case .push: "push"
    case .connectionOpened: "connectionOpened"
    case .connectionClosed: "connectionClosed"
    case .trouble: "trouble"
    case .streamsAllowed: "streamsAllowed"
    case .channels: "channels"
    case .broadcastReached: "broadcastReached"
    case .pushSettled: "pushSettled"
    case .answerSent: "answerSent"
    case .faultStruck: "faultStruck"
    case .connectionStruck: "connectionStruck"
    case .wire: "wire"
    case .listener: "listener"
    case .call: "call"
    case .callEnded: "callEnded"
    case .phone: "phone"
    }
  }
}
