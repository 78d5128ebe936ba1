import WireFormats

/// The story of one push: `pushpit push show`.
package struct PushReport: Sendable {
  private let push: JSONValue

  private static let width = 80
  private static let mostPayloadLines = 60

  /// - Parameter push: of `GET /v1/pushes/{apnsId}`.
  package init(_ push: JSONValue) { self.push = push }

  package var lines: [StyledLine] {
    let facts = PushFacts(push: push)
    var lines = [StyledLine("push " + TerminalText.clean(facts.text("apnsId") ?? ""), .bold)]
    lines += summary(facts) + why
    lines += section("Story", story) + section("Card", card) + section("Payload check", lint)
    return lines + section("Payload", payload(facts))
  }

  private func summary(_ facts: PushFacts) -> [StyledLine] {
    let receiver = [facts.text("device"), facts.text("app"), facts.text("tokenKind").map { "\($0) token" }]
    let provider = push["provider"].flatMap { provider in
      provider["keyId"]?.string.map { "key \($0) of team \(provider["teamId"]?.string ?? "")" }
    }
    let place = [
      facts.text("environment"), push["connection"].map { "connection \($0.text)" },
      push["stream"].map { "stream \($0.text)" },
    ]
    let remarks = (push["reaction"]?["remarks"]?.elements ?? []).compactMap(\.string)
    return [
      row("received", ([facts.text("receivedAt")] + place).compactMap(\.self).joined(separator: ", ")),
      row("to", receiver.compactMap(\.self).joined(separator: ", ")),
      row("request", request(facts)), row("provider", provider), row("answer", facts.answer),
      row("sent", facts.sent), row("fault", facts.text("fault")), row("fate", facts.text("fate")),
      row("phone", push["reaction"]?["outcome"] == nil ? nil : facts.outcome),
      row("remarks", remarks.joined(separator: ", ")),
    ].flatMap(\.self)
  }

  private func request(_ facts: PushFacts) -> String {
    let names = ["priority", "expiration", "collapse-id", "topic"]
    let headers = names.compactMap { name in facts.header("apns-\(name)").map { "\(name) \($0)" } }
    return ([facts.kind] + headers).joined(separator: ", ")
  }

  private var why: [StyledLine] {
    let why = push["why"]
    let source = [why?["rule"]?.string.map { "rule \($0)" }, why?["evidence"]?.string, why?["source"]?.string]
    return row("why", why?["sentence"]?.string)
      + row("", source.compactMap(\.self).joined(separator: "; "), style: .dim)
  }

  private var story: [StyledLine] {
    (push["story"]?.elements ?? []).flatMap { line in
      let time = TerminalText.clean((line["at"]?.string ?? "").dropFirst(11).prefix(12))
      let process = TerminalText.clean(line["process"]?.string ?? "")
      return hanging("  \(time)  \(TerminalText.padded(process, to: 15))  ", line["sentence"]?.string ?? "")
    }
  }

  /// The card of the Live Activity before and after the push.
  private var card: [StyledLine] {
    guard let change = push["onScreen"], change.members != nil else { return [] }
    return ["before", "after"].flatMap { key -> [StyledLine] in
      guard let card = change[key], card.members != nil else { return row(key, "no card") }
      let texts = ["title", "big", "line"].compactMap { card["drawn"]?[$0]?.string }.filter { !$0.isEmpty }
      let rows = (card["drawn"]?["rows"]?.elements ?? []).map {
        "\($0["key"]?.string ?? "") \($0["value"]?.string ?? "")"
      }
      let state = card["state"]?.string == "active" ? [] : [card["state"]?.string ?? ""]
      return row(key, (texts + rows + state).joined(separator: " | "))
    }
  }

  private var lint: [StyledLine] {
    (push["lint"]?.elements ?? []).flatMap { finding in
      let weight = TerminalText.clean(finding["weight"]?.string ?? "")
      let place = finding["path"]?.string.map { $0.isEmpty ? "" : "\($0): " } ?? ""
      return hanging("  \(TerminalText.padded(weight, to: 10)) ", place + (finding["sentence"]?.string ?? ""))
    }
  }

  private func payload(_ facts: PushFacts) -> [StyledLine] {
    let lines: [String]
    if let payload = facts.payload {
      lines = IndentedJSON.lines(payload).map { TerminalText.clean($0) }
    } else {
      let size = push["request"]?["bodyBytes"]?.text ?? "0"
      let isText = push["request"]?["bodyEncoding"]?.string == "utf8"
      let body = isText ? push["request"]?["body"]?.string ?? "" : ""
      lines = ["\(size) bytes, not \(isText ? "JSON" : "UTF-8")"] + TerminalText.wrapped(body, to: Self.width - 2)
    }
    let rest = lines.count - Self.mostPayloadLines
    return lines.prefix(Self.mostPayloadLines).map { StyledLine(TerminalText.cut("  \($0)", to: Self.width)) }
      + (rest > 0 ? [StyledLine("  … \(rest) more lines; --json has all", .dim)] : [])
  }

  private func section(_ title: String, _ lines: [StyledLine]) -> [StyledLine] {
    lines.isEmpty ? [] : ["", StyledLine(title, .bold)] + lines
  }

  private func row(_ name: String, _ text: String?, style: StyledLine.Style = .plain) -> [StyledLine] {
    hanging("  \(TerminalText.padded(name, to: 9)) ", text ?? "", style: style)
  }

  /// Lines beside a label; none without a text.
  private func hanging(_ label: String, _ text: String, style: StyledLine.Style = .plain) -> [StyledLine] {
    let indent = TerminalText.width(label)
    return TerminalText.wrapped(text, to: Self.width - indent).enumerated().map { number, line in
      StyledLine(number == 0 ? label : String(repeating: " ", count: indent), .dim) + StyledLine(line, style)
    }
  }
}
