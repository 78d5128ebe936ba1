import WireFormats

/// JSON with one member or element a line.
enum IndentedJSON {
  static func lines(_ value: JSONValue) -> [String] { lines(value, indent: "", before: "", after: "") }

  private static func lines(_ value: JSONValue, indent: String, before: String, after: String) -> [String] {
    switch value {
    case .object(let members) where !members.isEmpty:
      let inside = members.enumerated().flatMap { number, member in
        lines(
          member.value, indent: indent + "  ", before: JSONValue.string(member.key).text + ": ",
          after: number + 1 < members.count ? "," : "")
      }
      return ["\(indent)\(before){"] + inside + ["\(indent)}\(after)"]
    case .array(let elements) where !elements.isEmpty:
      let inside = elements.enumerated().flatMap { number, element in
        lines(element, indent: indent + "  ", before: "", after: number + 1 < elements.count ? "," : "")
      }
      return ["\(indent)\(before)["] + inside + ["\(indent)]\(after)"]
    default: return ["\(indent)\(before)\(value.text)\(after)"]
    }
  }
}
