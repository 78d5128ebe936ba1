import Timeline

extension Scenario {
  /// What has come of an expectation.
  package struct Verdict: Hashable, Sendable {
    package let name: String
    package let place: String
    /// When it was judged, since the scenario began.
    package let at: Duration
    package internal(set) var passed: Bool
    /// Whether it only asks that something was seen at least once.
    package var isSometimes = false
    package var wanted = ""
    package var found = ""
    /// What came nearest to it, and what differs.
    package var nearest: String?
    /// The pushes involved with their fates.
    package var pushes: [String] = []
    /// Calls of apps that are involved.
    package var reports: [String] = []
    /// What the auditor said.
    package var findings: [String] = []
  }
}
