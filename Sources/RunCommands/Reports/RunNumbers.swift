import ClientCommands
import Grammar
import WireFormats

/// The numbers of a run that another run can be compared with, from its JSON.
struct RunNumbers: Sendable {
  enum Unit: Hashable, Sendable {
    /// A second.
    case rate
    case milliseconds
    /// From 0 to 1.
    case share
    case count
  }

  struct Figure: Hashable, Sendable {
    let name: String
    let unit: Unit
    /// Nil if the run has no such number.
    let value: Double?
  }

  /// A phrase for what was run; runs of different kinds cannot be compared.
  let kind: String
  let figures: [Figure]
  /// The number of findings by their kind.
  let findings: [String: Int64]
  /// The flags of `load` that shape the run, as JSON; null for a report.
  let asked: JSONValue

  /// - Parameter name: the file, for the sentence about what is wrong.
  init(_ bytes: [UInt8], named name: String) throws(InputProblem) {
    let value = try? JSONValue.parse(bytes)
    if let value, let numbers = Self(load: value) ?? Self(report: value) {
      self = numbers
      return
    }
    let what = value == nil ? "not JSON" : "neither that of `pushpit load --json` nor a report"
    throw InputProblem(
      "\(name) is \(what). Two files are compared: the JSON of `pushpit load --json`, or of `pushpit report --json` and"
        + " `--report FILE.json`.")
  }

  private init(_ kind: String, _ figures: [Figure], findings: [String: Int64] = [:], asked: JSONValue = .null) {
    (self.kind, self.figures, self.findings, self.asked) = (kind, figures, findings, asked)
  }

  private init?(load value: JSONValue) {
    guard value["format"]?.integer == 1, let kind = value["kind"]?.string, LoadKind(rawValue: kind) != nil,
      let answered = value["answered"]?.number, let rate = value["perSecond"]?.number,
      let latency = value["latencyMilliseconds"]
    else { return nil }
    let rejected = value["rejected"]?.number ?? 0
    let unanswered = (value["unanswered"]?.elements ?? []).reduce(0.0) { $0 + ($1["count"]?.number ?? 0) }
    self.init(
      "load of kind \(kind)",
      [Figure(name: "answers a second", unit: .rate, value: rate)]
        + LoadThreshold.percentiles.map {
          Figure(name: $0.name, unit: .milliseconds, value: latency[$0.name]?.number)
        } + [
          Figure(name: "rejected", unit: .share, value: Self.share(rejected, of: answered)),
          Figure(name: "unanswered", unit: .share, value: Self.share(unanswered, of: answered + unanswered)),
        ], asked: value["asked"] ?? .null)
  }

  private init?(report value: JSONValue) {
    guard value["format"]?.integer == 1, value["run"]?["command"]?.string != nil, let pushes = value["pushes"],
      let total = pushes["total"]?.number, let accepted = pushes["accepted"]?.number, let latency = value["latency"]
    else { return nil }
    var figures = [Figure(name: "pushes a second", unit: .rate, value: pushes["perSecond"]?.number)]
    for (key, words) in [("apnsToScreen", "APNs to screen"), ("eventToScreen", "event to screen")] {
      for share in ["p50", "p90", "p99", "p99.9", "max"] {
        let seconds = latency[key]?[share]?.number
        figures.append(Figure(name: "\(words) \(share)", unit: .milliseconds, value: seconds.map { $0 * 1000 }))
      }
    }
    figures.append(Figure(name: "rejected", unit: .share, value: Self.share(total - accepted, of: total)))
    var findings: [String: Int64] = [:]
    for finding in value["findings"]?.elements ?? [] {
      if let kind = finding["kind"]?.string { findings[kind] = finding["count"]?.integer ?? 0 }
    }
    let isVirtual = value["run"]?["virtual"] == .bool(true)
    self.init(isVirtual ? "report of a run in virtual time" : "report of a run", figures, findings: findings)
  }

  private static func share(_ part: Double, of whole: Double) -> Double { whole > 0 ? part / whole : 0 }
}
