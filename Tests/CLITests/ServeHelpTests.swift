import ArgumentParser
import Configuration
import Testing

@testable import CLI

@Suite("The flags of serve")
struct ServeHelpTests {
  private static let columns = 80

  private static var help: String { PushpitCommand.helpMessage(for: Serve.self, columns: columns) }

  private static var allHelp: String {
    do {
      _ = try PushpitCommand.parseAsRoot(["serve", "--help-all"])
      return ""
    } catch {
      return PushpitCommand.fullMessage(for: error)
    }
  }

  private static func flags(in text: String) -> [String] { text.matches(of: /(?m)^  --([a-z-]+)/).map { String($0.1) } }

  private static let withFlag = Setting.table.filter { $0.flag != nil }

  @Test("--help fits a terminal of 24 lines and 80 columns, with one line for each flag")
  func screen() {
    let lines = Self.help.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 24, "\(Self.help)")
    #expect(lines.allSatisfy { $0.count <= Self.columns })
    #expect(lines.count { $0.hasPrefix("      ") } == 0, "a flag has more than one line: \(Self.help)")
  }

  @Test("--help shows the common flags and --help-all")
  func common() {
    let flags = Self.flags(in: Self.help)
    let common = SettingFlags.common.compactMap { Setting.named($0.key)?.flag }
    #expect(common.count == SettingFlags.common.count && Set(common).isSubset(of: flags))
    #expect(Set(["config", "set", "app", "profile", "tape", "help-all"]).isSubset(of: flags))
  }

  @Test("--help-all shows the flag of every setting once, and exits with success")
  func all() throws {
    let flags = Self.flags(in: Self.allHelp)
    #expect(Set(flags).count == flags.count)
    let own: Set = [
      "config", "set", "app", "profile", "key", "tape", "resume", "report", "ready-file", "help-all", "version",
    ]
    #expect(Set(flags).subtracting(own) == Set(Self.withFlag.compactMap(\.flag)))
    let error = #expect(throws: (any Error).self) { try PushpitCommand.parseAsRoot(["serve", "--help-all"]) }
    #expect(PushpitCommand.exitCode(for: try #require(error)) == .success)
  }

  @Test("each flag sets its own setting, even to a value that begins with a dash")
  func own() throws {
    for separator in [" ", "="] {
      var words = ["serve"]
      for (number, setting) in Self.withFlag.enumerated() {
        let flag = "--\(setting.flag ?? "")"
        words += setting.value.isEmpty ? [flag] : "\(flag)\(separator)-\(number)".split(separator: " ").map(String.init)
      }
      let serve = try #require(try PushpitCommand.parseAsRoot(words) as? Serve)
      let given = Dictionary(uniqueKeysWithValues: serve.options.flags.given.map { ($0.key, $0.value) })
      #expect(given.count == Self.withFlag.count)
      for (number, setting) in Self.withFlag.enumerated() {
        #expect(given[setting.key] == (setting.value.isEmpty ? "true" : "-\(number)"))
      }
    }
  }

  @Test("no flags give no values, and several flags give all their values")
  func several() throws {
    let none = try #require(try PushpitCommand.parseAsRoot(["serve"]) as? Serve)
    #expect(none.options.flags.given.isEmpty)
    let words = ["serve", "--seed", "7", "--strict-jwt", "--config", "a.yaml", "--fleet", "5", "--set", "clock=manual"]
    let serve = try #require(try PushpitCommand.parseAsRoot(words) as? Serve)
    let given = Dictionary(uniqueKeysWithValues: serve.options.flags.given.map { ($0.key, $0.value) })
    #expect(given == ["fleet.seed": "7", "rules.strictProviderTokens": "true", "fleet.devices": "5"])
    #expect(serve.options.config == "a.yaml" && serve.options.pairs == ["clock=manual"])
  }

  @Test("a flag without its value and an unknown flag are rejected with a hint")
  func wrong() {
    for (words, says) in [(["--seed"], "--seed <n>"), (["--flet", "3"], "Did you mean '--fleet'?")] {
      let error = #expect(throws: (any Error).self) { try PushpitCommand.parseAsRoot(["serve"] + words) }
      #expect(error.map { PushpitCommand.fullMessage(for: $0).contains(says) } == true, "\(words)")
    }
  }
}
