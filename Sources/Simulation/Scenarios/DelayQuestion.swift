import APNs

/// How long it takes from one thing to the next other one on the same device.
package struct DelayQuestion: Sendable {
  /// What a delay begins or ends with.
  package enum Mark: Hashable, Sendable {
    case pushes(PushFilter)
    case reports(ReportFilter)
    case events(Scenario.EventFilter)
  }

  package let from: Mark
  package let to: Mark
  package let range: ClosedRange<Duration>
  /// One in the range is enough.
  package let isSometimes: Bool

  /// From one thing of a kind to the next.
  var isGap: Bool { from == to }

  package init(from: Mark, to: Mark, range: ClosedRange<Duration>, isSometimes: Bool) {
    self.from = from
    self.to = to
    self.range = range
    self.isSometimes = isSometimes
  }
}
