import Grammar
import WireFormats
import Yams

extension SourceNode {
  /// A YAML node with the places of its parts, in order.
  ///
  /// - Parameter place: formats a place in the file.
  init(_ node: Node, _ place: (Node) -> String) {
    switch node {
    case .mapping(let mapping):
      let entries = mapping.map { Entry($0.key.string ?? "?", at: place($0.key), SourceNode($0.value, place)) }
      self = .object(entries, at: place(node))
    case .sequence(let sequence): self = .list(sequence.map { SourceNode($0, place) }, at: place(node))
    case .scalar(let scalar):
      self = .scalar(Self.value(scalar, node), text: scalar.string, at: place(node))
    case .alias: self = .scalar(.null, text: "", at: place(node))
    }
  }

  private static func value(_ scalar: Node.Scalar, _ node: Node) -> JSONValue {
    guard scalar.style == .plain || scalar.style == .any else { return .string(scalar.string) }
    if node.null != nil { return .null }
    if let truth = Bool(scalar.string) { return .bool(truth) }
    if let number = Int64(scalar.string) { return .integer(number) }
    if isNumber(scalar.string), let number = Double(scalar.string), number.isFinite { return .double(number) }
    return .string(scalar.string)
  }

  /// True if the text has only characters of decimal numbers. `Double` also reads `0x1F` and `nan`.
  private static func isNumber(_ text: String) -> Bool { text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) } }
}
