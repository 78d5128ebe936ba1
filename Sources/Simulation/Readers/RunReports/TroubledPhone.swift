import APNs
import Devices
import Timeline

/// A phone on which pushes went wrong.
package struct TroubledPhone: Sendable {
  /// A push that went wrong.
  package struct Incident: Hashable, Sendable {
    package let at: Instant
    package let push: UInt64
    /// Nil if it was accepted.
    package let reason: RejectionReason?
    package let fate: PushFate?

    package var words: String {
      if let reason { return "\(reason.status) \(reason.rawValue)" }
      guard let fate else { return "not answered" }
      return ([fate.status.words, fate.outcome, fate.cause] as [String?]).compactMap(\.self).joined(separator: ", ")
    }
  }

  private static let most = 3

  package private(set) var refused: UInt64 = 0
  package private(set) var throttled: UInt64 = 0
  /// Number of pushes that were accepted but will never be shown.
  package private(set) var lost: UInt64 = 0
  /// Newest last.
  package private(set) var latest: [Incident] = []

  package var total: UInt64 { refused + throttled + lost }

  mutating func add(_ incident: Incident) {
    if incident.fate?.isLost ?? false {
      lost += 1
    } else if incident.reason?.status == 429 {
      throttled += 1
    } else {
      refused += 1
    }
    if latest.count >= Self.most { latest.removeFirst() }
    latest.append(incident)
  }
}
