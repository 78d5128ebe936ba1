import WireFormats

extension Pushpit {
  /// A push with its answer, and what became of it.
  public struct Push: Sendable {
    /// As the admin API has it.
    public let raw: JSON

    public var apnsID: String { raw["apnsId"].text }
    /// The status that APNs decided on. What was actually sent to the client is `raw["sent"]`.
    public var status: Int { raw["answer"]["status"].int ?? 0 }
    public var reason: String? { raw["reason"].string }
    public var device: String? { raw["device"].string }
    public var app: String? { raw["app"].string }
    /// The name of the fault that struck it.
    public var fault: String? { raw["fault"].string }
    /// Reaction of the phone, as in filters; nil if it has not received the push.
    public var outcome: String? { raw["outcome"].string }
    /// Reasons for discarding, storing or dropping it, and the remarks on it.
    public var causes: [String] { (raw["causes"].array ?? []).map(\.text) }
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
      let answer = ["\(status)", reason, to].compactMap(\.self).joined(separator: " ")
      let told = raw["story"].array ?? []
      var lines = ["push \(raw["sequence"].int ?? 0) (\(apnsID)): \(answer)"]
      lines += told.map { line in
        let cause = line["cause"].string.map { " [\($0)]" } ?? ""
        return "  \(line["process"].text): \(line["sentence"].text)\(cause)"
      }
      if told.isEmpty || status != 200 { lines.append("  why: \(why)") }
      return lines.joined(separator: "\n")
    }

    static func rows(_ page: JSON) -> [Push] { (page["pushes"].array ?? []).map { Push(raw: $0) } }

    static func stories(_ pushes: [Push]) -> String {
      pushes.isEmpty ? "Nothing was pushed." : pushes.reversed().map(\.story).joined(separator: "\n")
    }
  }
}
