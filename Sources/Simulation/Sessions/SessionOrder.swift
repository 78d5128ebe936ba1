/// What is asked of a session that is to be opened.
package struct SessionOrder: Sendable {
  /// Nil for one that is made up.
  package var name: String?
  package var scope = SessionScope()
  /// Pushes that its ledger keeps.
  package var ledger = usualLedger

  package var expectations: [Scenario.Expectation] = []

  package static let usualLedger = 10_000

  package init() {}
}
