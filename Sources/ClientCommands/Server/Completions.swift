import Configuration
import Pushpit
import WireFormats

/// Names for a shell's completion, from the running server. There are none if it does not answer at once.
package struct Completions: Sendable {
  private let api: AdminAPI?

  private static let patience: Duration = .milliseconds(500)
  private static let most = 100
  /// No fleet is larger.
  private static let mostDevices: Int64 = 100_000_000

  /// - Parameter words: of the command line, which may name the server.
  package init(words: [String]) {
    let address = try? ServerAddress(
      admin: Self.value(of: "--admin", in: words), state: Self.value(of: "--state", in: words))
    api = address.map { AdminAPI($0) }
  }

  package func devices(beginningWith text: String) -> [String] {
    let count = value(AdminAPI.Order("v1", "ready"))?["fleet"]?["devices"]?.integer ?? 0
    return Self.devices(beginningWith: text, of: Int(min(count, Self.mostDevices)))
  }

  package func faults(beginningWith text: String) -> [String] {
    let faults = value(AdminAPI.Order("v1", "faults"))?["faults"]?.elements ?? []
    let names = faults.compactMap { $0["name"]?.string }
    return names.filter { $0.hasPrefix(text) && TerminalText.clean($0) == $0 }
  }

  /// The devices of a fleet are `d0`, `d1` and so on.
  static func devices(beginningWith text: String, of count: Int) -> [String] {
    let digits = text.dropFirst()
    guard text.isEmpty || text.first == "d" else { return [] }
    if digits.isEmpty { return (0..<max(0, min(count, most))).map { "d\($0)" } }
    guard let first = Int(digits), 0 <= first, first < count, String(first) == digits else { return [] }
    var numbers = [first]
    var range = (from: first * 10, length: 10)
    while first > 0, range.from < count, numbers.count < most {
      numbers += (range.from..<min(range.from + range.length, count)).prefix(most - numbers.count)
      range = (range.from * 10, range.length * 10)
    }
    return numbers.map { "d\($0)" }
  }

  private func value(_ order: AdminAPI.Order) -> JSONValue? {
    var order = order
    order.timeout = Self.patience
    return try? api?.perform(order).value
  }

  private static func value(of flag: String, in words: [String]) -> String? {
    for (number, word) in words.enumerated() {
      if word == flag, number + 1 < words.count { return words[number + 1].trimmingQuotes }
      if word.hasPrefix(flag + "=") { return String(word.dropFirst(flag.count + 1)).trimmingQuotes }
    }
    return nil
  }
}

extension String {
  /// Shells pass words with their quotes.
  fileprivate var trimmingQuotes: String {
    guard let quote = first, quote == "'" || quote == "\"", count > 1, last == quote else { return self }
    return String(dropFirst().dropLast())
  }
}
