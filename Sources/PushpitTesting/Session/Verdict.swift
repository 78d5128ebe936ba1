extension Pushpit {
  /// The result of a session.
  public struct Verdict: Sendable {
    /// As the admin API has it.
    public let raw: JSON

    /// Nil if nothing was expected.
    public var passed: Bool? { raw["passed"].bool }
    /// How many pushes, calls and others there were.
    public var counts: [String: Int] { (raw["counts"].object ?? [:]).compactMapValues(\.int) }

    /// What is not true, a few lines for each.
    public var broken: [String] { expectations.compactMap(\.self) }

    /// What is not true about each expectation, in the order in which they were given; nil for one that is true.
    var expectations: [String?] {
      (raw["expectations"].array ?? []).map { row in
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
