import WireFormats

/// The verdict of Swift's default `JSONDecoder` on a JSON value.
///
/// Documented: `ActivityKit` decodes attributes and content state with default strategies only. Observed: each rule
/// below on Foundation of Swift 6.3, by the tests. What differs lies in numbers the document tree no longer has the
/// digits of: a `Double` that underflows to zero is taken here and refused there.
extension ContentSchema {
  /// The first failure in the order of the type's properties; nil when the value decodes.
  ///
  /// Runs for every push: no failure, no allocation.
  package func check(_ node: JSONNode) -> DecodeFailure? {
    do throws(DecodeFailure) {
      try judge(node)
      return nil
    } catch {
      return error
    }
  }

  /// The failure as a sentence about a value of that name.
  package func failure(_ node: JSONNode, at root: String) -> String? { check(node)?.sentence(from: root) }

  private func judge(_ node: JSONNode) throws(DecodeFailure) {
    switch self {
    case .any: return
    case .optional(let wrapped): if !node.isNull { try wrapped.judge(node) }
    case .object(let properties): try Self.judge(node, properties)
    case .array(let element): try Self.judgeElements(of: node, element)
    case .dictionary(let element): try Self.judgeMembers(of: node, element)
    case .dateRange: try Self.judgeRange(node)
    case .bool: if node.bool == nil { throw mismatch(node) }
    case .double, .date: if !node.isNumber { throw mismatch(node) }
    case .int: _ = try wholeNumber(node)
    case .intEnum(let values):
      let number = try wholeNumber(node)
      if !values.contains(number) { throw .unknown("\(number)", among: values.map(String.init)) }
    case .stringEnum(let values):
      if !values.contains(where: node.isSame) { throw refusal(of: node, values) }
    case .string: if !node.isString { throw mismatch(node) }
    case .data: try judge(node, ContentText.isBase64, "is no base64")
    case .url: try judge(node, ContentText.isURL, "is nothing that URL(string:) reads")
    case .uuid: try judge(node, ContentText.isUUID, "is no UUID")
    }
  }

  private static func judge(_ node: JSONNode, _ properties: [Property]) throws(DecodeFailure) {
    guard node.isObject else { throw ContentSchema.object([]).mismatch(node) }
    for property in properties {
      guard let member = node.first(property.key) else {
        if case .optional = property.schema { continue }
        throw DecodeFailure.missing(property.key.text, in: node)
      }
      do throws(DecodeFailure) {
        try property.schema.judge(member)
      } catch {
        throw error.below(.key(property.key.text))
      }
    }
  }

  private static func judgeElements(of node: JSONNode, _ schema: ContentSchema) throws(DecodeFailure) {
    guard node.isArray else { throw ContentSchema.array(.any).mismatch(node) }
    var index = 0
    for element in node.elements {
      do throws(DecodeFailure) {
        try schema.judge(element)
      } catch {
        throw error.below(.index(index))
      }
      index += 1
    }
  }

  /// Observed: of a key written twice both values are decoded, though only the first is kept.
  private static func judgeMembers(of node: JSONNode, _ schema: ContentSchema) throws(DecodeFailure) {
    guard node.isObject else { throw ContentSchema.dictionary(.any).mismatch(node) }
    for member in node.members {
      do throws(DecodeFailure) {
        try schema.judge(member.node)
      } catch {
        throw error.below(.key(member.name))
      }
    }
  }

  /// Observed: an unkeyed container of two dates in order; what comes behind them is not looked at.
  private static func judgeRange(_ node: JSONNode) throws(DecodeFailure) {
    guard node.isArray else { throw ContentSchema.dateRange.mismatch(node) }
    var elements = node.elements
    var bounds: (lower: Double, upper: Double) = (0, 0)
    for index in 0..<2 {
      guard let element = elements.next() else { throw DecodeFailure(.missingElement).below(.index(index)) }
      guard let bound = element.double else { throw ContentSchema.date.mismatch(element).below(.index(index)) }
      if index == 0 { bounds.lower = bound } else { bounds.upper = bound }
    }
    if bounds.lower > bounds.upper { throw DecodeFailure(.badValue(reason: "is a range that ends before it begins")) }
  }

  private func judge(
    _ node: JSONNode, _ isSound: (UnsafeBufferPointer<UInt8>) -> Bool, _ reason: String
  ) throws(DecodeFailure) {
    guard let sound = node.withUTF8(isSound) else { throw mismatch(node) }
    if !sound { throw DecodeFailure(.badValue(reason: "\(DecodeFailure.quoted(node.string ?? "")) \(reason)")) }
  }

  /// Documented: an `Int` takes any number without a remainder. Observed: `1e-400` is 0 and what differs from a whole
  /// number by less than a `Double` can tell is that number.
  private func wholeNumber(_ node: JSONNode) throws(DecodeFailure) -> Int64 {
    if let number = node.wholeNumber { return number }
    guard node.isNumber, let number = node.double else { throw mismatch(node) }
    let whole = number.rounded() == number
    throw DecodeFailure(.badValue(reason: whole ? "does not fit into an Int" : "must be a whole number, and is \(number)"))
  }

  private func refusal(of node: JSONNode, _ values: [String]) -> DecodeFailure {
    guard let text = node.string else { return mismatch(node) }
    return .unknown(DecodeFailure.quoted(text), among: values)
  }

  private func mismatch(_ node: JSONNode) -> DecodeFailure {
    DecodeFailure(.typeMismatch(expected: expectation, found: node.kind))
  }
}
