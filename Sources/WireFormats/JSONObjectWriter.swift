/// Writes one JSON object, member by member. An object that is written often need not be a `JSONValue` first, which
/// costs three times as much.
package struct JSONObjectWriter {
  package var bytes: [UInt8] = []
  private var isFirst = true

  package init() {}

  package mutating func begin() {
    bytes.append(UInt8(ascii: "{"))
    isFirst = true
  }

  /// - Parameter key: without characters that JSON escapes.
  package mutating func add(_ key: StaticString, _ text: String?) {
    name(key)
    if let text { JSONValue.write(text, to: &bytes) } else { JSONValue.append("null", to: &bytes) }
  }

  package mutating func add(_ key: StaticString, _ number: Int64?) {
    name(key)
    if let number { JSONValue.append(number, to: &bytes) } else { JSONValue.append("null", to: &bytes) }
  }

  package mutating func add(_ key: StaticString, _ value: Bool) {
    name(key)
    JSONValue.append(value ? "true" : "false", to: &bytes)
  }

  package mutating func add(_ key: StaticString, _ value: JSONValue) {
    name(key)
    value.write(to: &bytes)
  }

  package mutating func end() { bytes.append(UInt8(ascii: "}")) }

  private mutating func name(_ key: StaticString) {
    JSONValue.append(isFirst ? "\"" : ",\"", to: &bytes)
    isFirst = false
    JSONValue.append(key, to: &bytes)
    JSONValue.append("\":", to: &bytes)
  }
}
