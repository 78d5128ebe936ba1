import WireFormats

/// Messages of the event stream as lines for people.
package enum EventLines {
  package static func write(_ message: EventStreamReader.Message) -> [String] {
    guard let value = try? JSONValue.parse(Array(message.data.utf8)) else { return [] }
    switch message.event {
    case "begin": return []
    case "gap":
      guard value["restarted"] != .bool(true) else { return ["… the server was started again"] }
      return ["… the events \(text(value["from"])) to \(text(value["to"])) are no longer kept"]
    case "many":
      let last = value["last"]?.elements ?? []
      let more = (value["count"]?.integer ?? 0) - Int64(last.count)
      return (more > 0 ? ["… \(more) more events"] : []) + last.map(line)
    default: return [line(value)]
    }
  }

  /// Returns the events of a message as JSON, one event a line; events that were left out are a line too.
  package static func writeJSON(_ message: EventStreamReader.Message) -> [String] {
    guard message.event != "begin" else { return [] }
    guard let value = try? JSONValue.parse(Array(message.data.utf8)) else { return [] }
    func named(_ type: String, _ members: [JSONValue.Member]) -> String {
      JSONValue.object([.init("type", .string(type))] + members).text
    }
    switch message.event {
    case "gap": return [named("gap", value.members ?? [])]
    case "many":
      let last = value["last"]?.elements ?? []
      let more = (value["count"]?.integer ?? 0) - Int64(last.count)
      return (more > 0 ? [named("skipped", [.init("count", .integer(more))])] : []) + last.map(\.text)
    default: return [value.text]
    }
  }

  private static func line(_ value: JSONValue) -> String {
    let time = (value["at"]?.string ?? "").dropFirst(11).prefix(12)
    let device = value["device"]?.string ?? "-"
    let rest: String
    switch value["type"]?.string {
    case "push": rest = push(value)
    case "fate":
      rest =
        "push \(text(value["push"])): \(text(value["fate"]))"
        + (value["outcome"]?.string.map { ", \($0)" } ?? "")
    case "answer": rest = "push \(text(value["push"])): sent \(text(value["answer"]))"
    case "broadcast": rest = "broadcast \(text(value["broadcast"])): \(text(value["fate"]))"
    case "call": rest = "app: \(value["sentence"]?.string ?? "")"
    default: rest = "\(value["process"]?.string ?? ""): \(value["sentence"]?.string ?? text(value["event"]))"
    }
    return TerminalText.clean("\(time)  \(padded(device, 6)) \(rest)")
  }

  private static func push(_ value: JSONValue) -> String {
    let kind = [value["pushType"]?.string, value["event"]?.string].compactMap(\.self).joined(separator: " ")
    let answer = [text(value["status"]), value["reason"]?.string].compactMap(\.self).joined(separator: " ")
    let fate = value["outcome"]?.string ?? value["fate"]?.string ?? ""
    let heading = (value["sentence"]?.string ?? value["heading"]?.string).map { "  \($0)" } ?? ""
    return "\(value["app"]?.string ?? "-")  \(kind), priority \(text(value["priority"])): \(answer), \(fate)\(heading)"
  }

  private static func text(_ value: JSONValue?) -> String {
    value?.string ?? value.map { $0 == .null ? "-" : $0.text } ?? "-"
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
