import Timeline

/// What goes wrong between the apps and their backend, by chance.
package struct ReportTrouble: Hashable, Sendable {
  /// The request does not reach the backend, and the app is told so.
  package var lost = Odds.never
  /// The backend has it, and the app does not learn that.
  package var answerLost = Odds.never
  /// It arrives twice.
  package var doubled = Odds.never
  /// The one after it overtakes it.
  package var overtaken = Odds.never
  /// Answered with an error before it reaches the backend.
  package var failed = Odds.never
  /// How long it is on its way.
  package var delay: ClosedRange<Duration> = .zero ... .zero

  package init() {}

  package var isNone: Bool { self == ReportTrouble() }
}
