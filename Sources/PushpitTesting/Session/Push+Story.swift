import WireFormats

extension Pushpit.Push {
  /// The status that APNs decided on. What was actually sent to the client is `sent`.
  public var status: Int { raw["answer"]["status"].int ?? 0 }
  /// The explanation of the push's answer and fate, as a sentence.
  public var why: String { raw["why"]["sentence"].text }
  /// The body as text; in Base64 if it is not UTF-8.
  public var body: String { raw["request"]["body"].text }
  /// The body as JSON; null if it is not JSON.
  public var payload: JSON { JSON(value: (try? JSONValue.parse(Array(body.utf8))) ?? .null) }
  public var headers: [String: String] {
    let fields = raw["request"]["headers"].array ?? []
    return Dictionary(fields.map { ($0["name"].text, $0["value"].text) }) { first, _ in first }
  }

  /// The destination, and the story, one sentence per line; causes are in brackets, as filters name them.
  public var story: String {
    let to = device.map { "to \($0)" }
    let answer = ["\(status)", raw["reason"].string, to].compactMap(\.self).joined(separator: " ")
    let told = raw["story"].array ?? []
    var lines = ["push \(sequence) (\(apnsID)): \(answer)"]
    lines += told.map { line in
      let cause = line["cause"].string.map { " [\($0)]" } ?? ""
      return "  \(line["process"].text): \(line["sentence"].text)\(cause)"
    }
    if told.isEmpty || status != 200 { lines.append("  why: \(why)") }
    return lines.joined(separator: "\n")
  }

  static func rows(_ page: JSON) -> [Self] { (page["pushes"].array ?? []).map(Self.init) }

  static func stories(_ pushes: [Self]) -> String {
    pushes.isEmpty ? "Nothing was pushed." : pushes.reversed().map(\.story).joined(separator: "\n")
  }
}
