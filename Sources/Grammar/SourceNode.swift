import WireFormats

/// A value that a user wrote in JSON or YAML, and its place.
package struct SourceNode: Sendable {
  package struct Entry: Sendable {
    package let key: String
    /// The place of the key.
    package let place: String
    package let value: SourceNode

    package init(_ key: String, at place: String, _ value: SourceNode) {
      self.key = key
      self.place = place
      self.value = value
    }
  }

  private indirect enum Content: Sendable {
    /// From a document without lines. Its parts become nodes on demand.
    case json(JSONValue)
    /// From a file. A plain scalar keeps its text beside its value.
    case scalar(JSONValue, text: String)
    case list([SourceNode])
    case object([Entry])
  }

  /// A file with its line, such as `story.yaml:3:5`, or the path within a body, such as `where.devices[2]`.
  package let place: String
  private let content: Content

  private init(_ content: Content, at place: String) {
    self.content = content
    self.place = place
  }

  /// - Parameter path: the value's path within its document; empty for the document itself.
  package init(_ value: JSONValue, path: String = "") { self.init(.json(value), at: path) }

  package static func scalar(_ value: JSONValue, text: String, at place: String) -> SourceNode {
    SourceNode(.scalar(value, text: text), at: place)
  }

  /// The text of a query parameter, a flag or an environment variable. A number or a truth can be read as such too.
  package static func plain(_ text: String, at place: String) -> SourceNode {
    switch try? JSONValue.parse(Array(text.utf8)) {
    case .bool(let truth)?: .scalar(.bool(truth), text: text, at: place)
    case .integer(let number)?: .scalar(.integer(number), text: text, at: place)
    case .double(let number)?: .scalar(.double(number), text: text, at: place)
    default: .scalar(.string(text), text: text, at: place)
    }
  }

  package static func list(_ elements: [SourceNode], at place: String) -> SourceNode {
    SourceNode(.list(elements), at: place)
  }

  package static func object(_ entries: [Entry], at place: String) -> SourceNode {
    SourceNode(.object(entries), at: place)
  }

  /// The value without its places.
  package var json: JSONValue {
    switch content {
    case .json(let value), .scalar(let value, _): value
    case .list(let elements): .array(elements.map(\.json))
    case .object(let entries): .object(entries.map { .init($0.key, $0.value.json) })
    }
  }

  package var isNull: Bool {
    switch content {
    case .json(.null), .scalar(.null, _): true
    case .json, .scalar, .list, .object: false
    }
  }

  /// The value as text: a JSON string, or a YAML scalar as it was written. Nil for anything else.
  package var text: String? {
    switch content {
    case .json(let value): value.string
    case .scalar(.null, _), .list, .object: nil
    case .scalar(_, let text): text
    }
  }

  /// A single value as it was written, including numbers and booleans. Nil for a list or an object.
  package var spelling: String? {
    switch content {
    case .json(.string(let text)), .scalar(_, let text): text
    case .json(.array), .json(.object), .list, .object: nil
    case .json(let value): value.text
    }
  }

  /// True if the value is neither a list nor an object.
  package var isScalar: Bool {
    switch content {
    case .json(.array), .json(.object), .list, .object: false
    case .json, .scalar: true
    }
  }

  package var elements: [SourceNode]? {
    switch content {
    case .json(.array(let elements)):
      elements.enumerated().map { SourceNode($0.element, path: "\(place)[\($0.offset)]") }
    case .list(let elements): elements
    case .json, .scalar, .object: nil
    }
  }

  package var entries: [Entry]? {
    switch content {
    case .json(.object(let members)):
      members.map { member in
        let path = place.isEmpty ? member.key : "\(place).\(member.key)"
        return Entry(member.key, at: path, SourceNode(member.value, path: path))
      }
    case .object(let entries): entries
    case .json, .scalar, .list: nil
    }
  }

  /// The entries with their keys as nodes, because keys have places too.
  package var pairs: [(key: SourceNode, value: SourceNode)]? {
    entries?.map { (SourceNode(.scalar(.string($0.key), text: $0.key), at: $0.place), $0.value) }
  }

  /// The last entry of that name.
  package subscript(key: String) -> SourceNode? { entries?.last { $0.key == key }?.value }
}
