import APNs
import Devices
import Grammar
import Simulation
import Timeline
import WireFormats

/// Reads the values of settings; each failure names the valid values.
enum Read {
  static func text(_ text: String) throws(ValueProblem) -> String {
    guard !text.isEmpty else { throw ValueProblem(wanted: "a non-empty text") }
    return text
  }

  static func whole(_ text: String, _ range: ClosedRange<Int>) throws(ValueProblem) -> Int {
    guard let number = Values.whole(text), range.contains(number) else {
      throw ValueProblem(
        wanted: range.upperBound == .max
          ? "a whole number from \(range.lowerBound)" : "a whole number from \(range.lowerBound) to \(range.upperBound)"
      )
    }
    return number
  }

  static func port(_ text: String) throws(ValueProblem) -> UInt16 {
    guard let port = Values.whole(text).flatMap({ UInt16(exactly: $0) }) else {
      throw ValueProblem(wanted: "a port from 0 to 65535 (0: any free port)")
    }
    return port
  }

  static func truth(_ text: String) throws(ValueProblem) -> Bool {
    switch text.lowercased() {
    case "true", "yes", "on", "1": return true
    case "false", "no", "off", "0": return false
    default: throw ValueProblem(wanted: "true or false")
    }
  }

  static func duration(_ text: String) throws(ValueProblem) -> Duration {
    guard let duration = DurationText.parse(text) else {
      let limit = DurationText.isTooLong(text) ? " of at most \(DurationText.write(DurationText.longest))," : ""
      throw ValueProblem(wanted: "a duration\(limit) such as 90s, 20m, 1h30m or 500ms")
    }
    return duration
  }

  static func durations(_ text: String) throws(ValueProblem) -> ClosedRange<Duration> {
    guard let range = Values.durations(text) else {
      throw ValueProblem(wanted: "a duration, or a range such as 1h..24h, the shorter first")
    }
    return range
  }

  static func share(_ text: String) throws(ValueProblem) -> Odds {
    guard let (numerator, denominator) = Percent.parse(text), numerator <= denominator else {
      throw ValueProblem(wanted: "a share from 0% to 100%, such as 2%, 0.5% or 0.02")
    }
    if numerator == 0 { return .never }
    return numerator == denominator ? .always : Odds(numerator, in: denominator)
  }

  /// A factor in thousandths.
  static func factor(_ text: String) throws(ValueProblem) -> UInt16 {
    guard let (numerator, denominator) = Percent.parse(text), numerator <= 10 * denominator,
      numerator * 1000 % denominator == 0
    else { throw ValueProblem(wanted: "a share from 0% to 1000%, such as 50% or 0.5, to a tenth of a percent") }
    return UInt16(clamping: numerator * 1000 / denominator)
  }

  static func language(_ text: String) throws(ValueProblem) -> String {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard let first = parts.first, (2...3).contains(first.count), first.allSatisfy(\.isLetter), parts.count <= 3,
      parts.allSatisfy({ (2...8).contains($0.count) && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } })
    else { throw ValueProblem(wanted: "a language as iOS writes it, such as en or de-AT") }
    return text
  }

  static func list(_ text: String) throws(ValueProblem) -> [String] {
    let words = text.split(separator: ",").map { String($0.filter { $0 != " " }) }
    guard !words.isEmpty, !words.contains("") else { throw ValueProblem(wanted: "names, separated by commas") }
    return words
  }

  static func mix(_ text: String) throws(ValueProblem) -> [FleetPlan.VersionShare] {
    let wanted = "versions and their shares such as 17.6:10,18.5:35, at least one share above 0"
    var shares: [FleetPlan.VersionShare] = []
    for entry in text.split(separator: ",", omittingEmptySubsequences: false) {
      let parts = entry.split(separator: ":", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
      guard parts.count == 2, let os = OSVersion(parts[0]), let count = UInt64(parts[1]), count <= 1_000_000 else {
        throw ValueProblem(wanted: wanted)
      }
      shares.append(FleetPlan.VersionShare(os, parts: count))
    }
    guard shares.contains(where: { $0.parts > 0 }) else { throw ValueProblem(wanted: wanted) }
    return shares
  }

  static func reason(_ text: String) throws(ValueProblem) -> RejectionReason {
    guard let reason = RejectionReason(rawValue: text) else {
      throw ValueProblem(
        text, among: RejectionReason.allCases.map(\.rawValue), wanted: "one of APNs' reasons such as BadTopic")
    }
    return reason
  }
}
