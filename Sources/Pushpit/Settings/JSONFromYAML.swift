import WireFormats
import Yams

/// A YAML node as the JSON value it stands for; order is kept.
enum JSONFromYAML {
  static func value(_ node: Node) -> JSONValue {
    switch node {
    case .mapping(let mapping): .object(mapping.map { .init($0.key.string ?? "", value($0.value)) })
    case .sequence(let sequence): .array(sequence.map(value))
    case .scalar(let scalar): self.scalar(scalar, node)
    case .alias: .null
    }
  }

  private static func scalar(_ scalar: Node.Scalar, _ node: Node) -> JSONValue {
    guard scalar.style == .plain || scalar.style == .any else { return .string(scalar.string) }
    if node.null != nil { return .null }
    if let truth = Bool(scalar.string) { return .bool(truth) }
    if let number = Int64(scalar.string) { return .integer(number) }
    if scalar.string.contains("."), let number = Double(scalar.string), number.isFinite { return .double(number) }
    return .string(scalar.string)
  }
}
