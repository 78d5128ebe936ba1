import APNs
import Timeline

/// The retries of a sender: pushes sent again after an answer of 429 or 5xx, or after none at all.
///
/// A push is a retry if it goes to the same token with the same `apns-id` or the same payload.
package struct RetryTally: Sendable {
  private struct Failed: Sendable {
    let id: NotificationID?
    let payload: UInt64
    let at: Instant
  }

  /// Assumed: a retry within a second did not wait.
  package static let hasty: UInt64 = 1_000_000_000
  private static let most = 100_000

  package private(set) var failures: UInt64 = 0
  package private(set) var retries: UInt64 = 0
  /// Retries that were accepted.
  package private(set) var recovered: UInt64 = 0
  /// Retries that were answered with another 4xx.
  package private(set) var refused: UInt64 = 0
  /// Retries within a second.
  package private(set) var hastyRetries: UInt64 = 0
  /// Failed pushes whose token got another push next.
  package private(set) var overtaken: UInt64 = 0
  /// Failed pushes that were not remembered, because too many were.
  package private(set) var forgotten: UInt64 = 0
  /// Nanoseconds from the failed push to its retry.
  package private(set) var delays = Histogram()
  private var failed: [Address: Failed] = [:]

  package init() {}

  /// Failed pushes whose token has got no push since.
  package var abandoned: UInt64 { UInt64(failed.count) }

  mutating func read(_ record: PushRecord, _ answer: RateSeries.Answer, at now: Instant) {
    let mayRetry = answer == .throttled || answer == .failed || answer == .unanswered
    if mayRetry { failures += 1 }
    guard mayRetry || !failed.isEmpty, let address = record.address else { return }
    let before = failed.removeValue(forKey: address)
    guard before != nil || mayRetry else { return }
    let current = Failed(id: record.push.id, payload: Auditor.payload(record), at: now)
    if let before {
      let isSameID = if let old = before.id, let id = current.id { old.isSame(as: id) } else { false }
      if isSameID || before.payload == current.payload {
        count(before, answer, at: now)
      } else {
        overtaken += 1
      }
    }
    guard mayRetry else { return }
    if failed.count < Self.most { failed[address] = current } else { forgotten += 1 }
  }

  private mutating func count(_ before: Failed, _ answer: RateSeries.Answer, at now: Instant) {
    retries += 1
    let delay = UInt64(clamping: before.at.duration(to: now).wholeNanoseconds)
    delays.add(delay)
    if delay < Self.hasty { hastyRetries += 1 }
    if answer == .accepted { recovered += 1 }
    if answer == .refused { refused += 1 }
  }
}
