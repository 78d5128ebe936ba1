import WireFormats

/// A page of the ledger, one push a line: `pushpit push list`.
package struct PushListLines: Sendable {
  private let pushes: [JSONValue]
  /// Columns of the terminal; nil to cut nothing.
  private let columns: Int?

  /// Digits of an apns-id that `push show` needs.
  static let shortID = 8

  /// - Parameter page: of `GET /v1/pushes`.
  package init(_ page: JSONValue, columns: Int?) {
    pushes = page["pushes"]?.elements ?? []
    self.columns = columns
  }

  package var lines: [String] {
    let facts = pushes.map { PushFacts(push: $0) }
    let devices = facts.map { TerminalText.clean($0.text("device") ?? "-") }
    let wide = devices.map { TerminalText.width($0) }.max() ?? 0
    return zip(facts, devices).map { push, device in
      let time = (push.text("receivedAt") ?? "").dropFirst(11).prefix(12)
      let id = (push.text("apnsId") ?? "").prefix(Self.shortID)
      let told = push.sent.map { " [\($0)]" } ?? ""
      let fault = push.text("fault").map { "  fault \($0)" } ?? ""
      let heading = push.heading.isEmpty ? "" : "  \(push.heading)"
      let rest = "\(push.answer)\(told)  \(push.kind): \(push.outcome)\(fault)\(heading)"
      let line = TerminalText.clean("\(time)  \(id)  \(TerminalText.padded(device, to: wide))  \(rest)")
      return columns.map { TerminalText.cut(line, to: $0) } ?? line
    }
  }
}
