import Testing

/// A process has a hash seed of its own, and so another order in each of its sets and dictionaries.
extension RandomDaysTests {
  /// Days that are told by every process: so many seeds, each in all settings.
  private static let seeds = 0..<10 as Range<UInt64>
  private static let processes = 3
  /// The beginning of each line of this test's output, because others may print lines in between.
  private static let mark = "| "

  /// The output of a process: a number that depends on its hash seed, and then every day.
  private struct Telling {
    let hash: String
    let days: [[String]]

    init() throws {
      hash = "\("one string".hashValue)"
      days = try seeds.flatMap { seed in try ToldDay.Setting.all.map { try ToldDay(seed: seed, $0).lines } }
    }

    /// Parses the output of another process.
    init(printed: [UInt8]) throws {
      let lines = String(decoding: printed, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix(mark) }
      let parts = lines.map { $0.dropFirst(mark.count) }.split(separator: "", omittingEmptySubsequences: false)
      hash = String(try #require(parts.first?.first))
      days = parts.dropFirst().map { $0.map { String($0) } }
    }

    func print() {
      let parts = [[hash]] + days
      let lines = parts.joined(separator: [""]).map { mark + $0 }
      Swift.print("\n" + lines.joined(separator: "\n"))
    }
  }

  private static func toldElsewhere() async throws -> Telling {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      try Telling().print()
    }
    return try Telling(printed: try #require(result).standardOutputContent)
  }

  @Test("random days are the same in processes with other hash seeds, with and without faults, sessions and a tape")
  func processes() async throws {
    let tellings = try await withThrowingTaskGroup(of: Telling.self) { group in
      for _ in 1..<Self.processes { group.addTask { try await Self.toldElsewhere() } }
      var tellings = [try Telling()]
      for try await telling in group { tellings.append(telling) }
      return tellings
    }
    #expect(
      Set(tellings.map(\.hash)).count == Self.processes, "they share a hash seed; is SWIFT_DETERMINISTIC_HASHING set?")
    let mine = tellings[0].days
    for other in tellings.dropFirst().map(\.days) {
      #expect(other.count == mine.count)
      for (place, days) in zip(mine, other).enumerated() where days.0 != days.1 {
        Issue.record("\(Self.name(place)): \(Self.difference(days.0, days.1))")
      }
    }
  }

  @Test("random days are the same with and without a tape; faults match in them, and sessions have results")
  func settings() throws {
    var troubled: Set<String> = []
    for seed in Self.seeds {
      for setting in ToldDay.Setting.all where !setting.contains(.tape) {
        let lines = try ToldDay(seed: seed, setting).lines
        let taped = try ToldDay(seed: seed, setting.union(.tape)).lines.filter { !$0.hasPrefix("tape ") }
        let isSame = lines == taped
        #expect(isSame, "seed \(seed), \(setting): \(Self.difference(lines, taped))")
        if setting.contains(.faults) { troubled.formUnion(lines) }
      }
    }
    for prefix in [
      "fault late ", "fault lost ", "fault gone ", "fault busy ", "fault quiet ", "finding ", "session even: push ",
      "session odd: verdict ", "session odd: finding ",
    ] {
      let isThere = troubled.contains { $0.hasPrefix(prefix) }
      #expect(isThere, "no line begins with \(prefix)")
    }
    // The faults that are of devices, at once and after ten minutes, and what is over with the fault.
    for (what, when) in [("wentOffline ", " 0 "), ("wentOffline ", " 600000000000 "), ("wire ", " streamsAsBefore")] {
      let isThere = troubled.contains { $0.hasPrefix(what) && $0.hasSuffix(when) }
      #expect(isThere, "no line is \(what)...\(when)")
    }
  }

  private static func name(_ place: Int) -> String {
    let settings = ToldDay.Setting.all
    return "seed \(seeds.lowerBound + UInt64(place / settings.count)), \(settings[place % settings.count])"
  }

  /// The first lines that differ.
  private static func difference(_ one: [String], _ other: [String]) -> String {
    guard let place = zip(one, other).enumerated().first(where: { $1.0 != $1.1 })?.offset else {
      return "\(one.count) lines, and \(other.count) that begin the same"
    }
    return "line \(place) is \(other[place]) in place of \(one[place])"
  }
}
