import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("The advice of an audit")
struct AuditAdviceTests {
  @Test("every finding says what the backend should have done instead", arguments: AuditFinding.Kind.allCases)
  func advice(_ kind: AuditFinding.Kind) throws {
    var auditor = Auditor()
    auditor.find(kind, at: .distantPast, on: nil, push: nil, mistake: .init("What the backend did"))
    let found = try #require(auditor.findings.first)
    #expect(found.sentence == "What the backend did; \(kind.instead).")
    // As an order: a verb in its base form, in lower case, and neither a period nor a second sentence.
    let verbs = [
      "send", "give", "obey", "delete", "compare", "retry", "use", "make", "keep", "only", "check", "write", "subtract",
      "start", "stop", "push",
    ]
    let first = try #require(kind.instead.split(separator: " ").first)
    #expect(verbs.contains(String(first)), "\(kind.instead)")
    #expect(!kind.instead.contains(". ") && !kind.instead.hasSuffix("."))
  }
}
