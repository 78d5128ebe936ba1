import APNs
import Devices
import Reporting
import Timeline

/// A call that an app has made: a request for the shell to send.
package struct CallRecord: Hashable, Sendable {
  /// Number of the call among those of the world, from 1.
  package let number: UInt64
  package let device: DeviceID
  package let app: Int
  package let call: OutgoingCall
  package let at: Instant
  /// True if it is a second copy of a call, whose answer is ignored.
  package let isCopy: Bool

  init(number: UInt64, _ open: OpenCalls.Call, at now: Instant, isCopy: Bool) {
    self.number = number
    device = open.device
    app = open.app
    call = open.call
    at = now
    self.isCopy = isCopy
  }
}

/// The end of a call.
package struct CallEnd: Hashable, Sendable {
  package let number: UInt64
  package let device: DeviceID
  package let app: Int
  /// Name of the event that caused it.
  package let event: String
  package let method: String
  /// Nil if the request could not be made because a value was missing.
  package let url: String?
  /// The first bytes of the body.
  package let body: String?
  package let outcome: CallOutcome
  /// True if its server has received it twice.
  package let isDoubled: Bool
  package let began: Instant
  package let at: Instant

  /// Number of characters of a body that are kept.
  private static let mostBody = 4096

  init(_ open: OpenCalls.Call, number: UInt64, _ outcome: CallOutcome, at now: Instant) {
    self.number = number
    device = open.device
    app = open.app
    event = open.call.event
    method = open.call.method
    url = open.call.url
    body = open.call.body.map { String($0.prefix(Self.mostBody)) }
    self.outcome = outcome
    isDoubled = open.isDoubled
    began = open.since
    at = now
  }

  /// A call that was never sent.
  init(
    number: UInt64, context moment: AppContext, call: OutgoingCall, failure: CallOutcome.Failure, sentence why: String
  ) {
    self.number = number
    device = moment.device
    app = moment.app
    event = call.event
    method = call.method
    url = call.url
    body = call.body.map { String($0.prefix(Self.mostBody)) }
    outcome = .failed(failure, why + "; nothing was sent")
    isDoubled = false
    began = moment.now
    at = moment.now
  }

  /// A request that could not be made.
  init(
    number: UInt64, _ moment: AppContext, event: String, _ request: RequestTemplate, missing: TemplateReference
  ) {
    self.number = number
    device = moment.device
    app = moment.app
    self.event = event
    method = request.method
    url = nil
    body = nil
    outcome = .failed(
      .missingValue, "the \(request.method) at \(event) needs {{\(missing)}}, which has no value")
    isDoubled = false
    began = moment.now
    at = moment.now
  }

  /// Duration of the call, in the world's time.
  package var took: Duration { began.duration(to: at) }

  /// For the log of its device.
  package var sentence: String {
    let place = url.map { " \($0)" } ?? ""
    return "\(method)\(place) at \(event): \(outcome.sentence), after \(DurationText.write(took))"
  }
}

/// The most recent calls that ended, in a ring buffer.
package struct CallLog: Sendable {
  private let capacity: Int
  private var ends: [CallEnd] = []
  private var first = 0
  /// Number of calls that have ended so far; each has a number, from 1.
  package private(set) var total: UInt64 = 0

  /// - Precondition: `capacity` is positive.
  init(capacity: Int) {
    precondition(capacity > 0, "the capacity is positive")
    self.capacity = capacity
  }

  mutating func append(_ end: CallEnd) {
    total += 1
    if ends.count < capacity {
      ends.append(end)
    } else {
      ends[first] = end
      first = first + 1 == capacity ? 0 : first + 1
    }
  }

  /// Forgets all calls, as if others had replaced them.
  mutating func removeAll() {
    ends = []
    first = 0
  }

  /// Number of the oldest call kept.
  package var oldest: UInt64 { total - UInt64(ends.count) + 1 }

  /// Calls before that number, newest first.
  package func newest(before place: UInt64) -> some Sequence<(place: UInt64, end: CallEnd)> {
    let start = place > total ? 0 : Int(total - place) + 1
    return (min(start, ends.count)..<ends.count).lazy.map { age in
      (total - UInt64(age), ends[(first + ends.count - 1 - age) % ends.count])
    }
  }
}
