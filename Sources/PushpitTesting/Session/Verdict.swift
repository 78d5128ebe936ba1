extension Pushpit {
  /// The result of a session.
  public struct Verdict: Sendable {
    /// As the admin API has it.
    public let raw: JSON

    /// Nil if nothing was expected.
    public var passed: Bool? { raw["passed"].bool }
    /// The numbers of the session's pushes, calls and other things, by name.
    public var counts: [String: Int] { (raw["counts"].object ?? [:]).compactMapValues(\.int) }

    /// The expectations that were not met, with a few lines for each.
    public var broken: [String] { expectations.compactMap(\.self) }

    /// The differences of each expectation, in the order in which they were given; nil for an expectation that was met.
    var expectations: [String?] {
      raw["expectations"].rows.map { row in
        guard row["passed"].bool == false else { return nil }
        let lines = ["\(row["name"].text)", "  wanted   \(row["wanted"].text)", "  found    \(row["found"].text)"]
        return (lines + (row["nearest"].string.map { ["  nearest  \($0)"] } ?? [])).joined(separator: "\n")
      }
    }

    func check() throws {
      guard passed == false else { return }
      throw PushpitError(
        .expectation, (["Not all expectations are true."] + broken).joined(separator: "\n"))
    }
  }
}
