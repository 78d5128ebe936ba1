/// The finds of a hunt, for people.
struct FindsText {
  /// The server's report.
  let report: JSON
  let seed: Int
  /// The time that the hunt took, in seconds.
  let spent: Double
  /// The file of finds.
  let path: String
  /// The reason why the finds could not be kept.
  var unwritten: String?
  var notes: [String] = []
  /// True if the test or its suite has a trait `.fault`, so that each play has its fault.
  var hasOwnFault = false

  /// The finds with the fewest faults first, and last one that was not made smaller to the end.
  static func finds(in report: JSON) -> [JSON] {
    let found = report["finds"].rows.sorted { $0["faults"].rows.count < $1["faults"].rows.count }
    return found + (report["unfinished"].isNull ? [] : [report["unfinished"]])
  }

  /// A number with a noun, such as `1 variant`.
  static func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  /// A number of finds.
  static func kinds(_ number: Int) -> String { "\(counted(number, "kind")) of failure" }

  /// A text about the finds, or about the reason why it could not hunt; nil if there is neither.
  ///
  /// - Parameter comments: gives those of the last failure of a find.
  func text(comments: (JSON) -> [String]) -> String? {
    let finds = Self.finds(in: report)
    guard let first = finds.first else {
      guard let refusal else { return nil }
      let suspect = report["suspect"].isNull ? [] : ["The faults of that variant:"] + Self.traits(report["suspect"])
      return (["Pushpit could not hunt: \(refusal)"] + suspect).joined(separator: "\n")
    }
    let counts = "\(Self.counted(report["played"].int ?? 0, "variant")), \(Self.kinds(finds.count))"
    var lines = ["Pushpit hunted for \(Int(spent)) s: \(counts). \(Self.often(first)):", ""]
    lines += Self.traits(first) + ["", "It fails with: \(first["failure"].text)"]
    let comments = comments(first)
    if !comments.isEmpty { lines += [""] + comments }
    for other in finds.dropFirst() {
      lines += ["", "Another failure, \(other["failure"].text)", "\(Self.often(other)):", ""] + Self.traits(other)
    }
    lines.append("")
    if let unwritten {
      lines.append(unwritten)
    } else if !report["finds"].rows.isEmpty {
      lines.append("Kept in \(path), and played first the next time.")
    }
    lines.append("seed: \(seed) draws the same variants again.")
    if let refusal { lines.append("The hunt ended early: \(refusal)") }
    return (lines + notes).joined(separator: "\n")
  }

  /// The reason why it ended before its time.
  private var refusal: String? {
    guard let sentence = report["refusal"].string ?? report["doubt"].string, hasOwnFault else {
      return report["refusal"].string ?? report["doubt"].string
    }
    let end = sentence.hasSuffix(".") ? "" : "."
    return "\(sentence)\(end) Each play has the fault of the trait .fault: remove that trait, or .hunt."
  }

  private static func often(_ find: JSON) -> String {
    let (fails, plays) = (find["fails"].int ?? 0, find["plays"].int ?? 0)
    return plays < 5 ? "The smallest so far" : "The smallest that fails, \(fails) of \(plays) times"
  }

  private static func traits(_ found: JSON) -> [String] {
    zip(found["faults"].rows, found["words"].rows).flatMap { fault, words in
      ["    // \(words.text)", "    \(FaultText(fault).trait)"]
    }
  }
}
