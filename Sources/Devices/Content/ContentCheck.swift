import WireFormats

/// Checks one JSON value against a schema. It uses unsafe pointers to avoid reference counting.
///
/// Observed: each rule below, in tests with Foundation of Swift 6.3. One of its rules cannot be reproduced here:
/// Foundation rejects a number too small for a `Double`, such as `1e-400`, but our JSON reader turns it into zero.
struct ContentCheck {
  private let nodes: UnsafeBufferPointer<CompiledSchema.Node>
  private let properties: UnsafeBufferPointer<CompiledSchema.Property>
  private let words: UnsafeBufferPointer<CompiledSchema.Word>
  private let numbers: UnsafeBufferPointer<Int64>
  private let bytes: UnsafeBufferPointer<UInt8>
  /// Set when a date looks like one counted from 1970.
  private let hasDistantDate: UnsafeMutablePointer<Bool>

  /// Valid only within `body`.
  static func with<Result>(
    _ plan: CompiledSchema, hasDistantDate: UnsafeMutablePointer<Bool>, _ body: (ContentCheck) -> Result
  ) -> Result {
    plan.nodes.withUnsafeBufferPointer { nodes in
      plan.properties.withUnsafeBufferPointer { properties in
        plan.words.withUnsafeBufferPointer { words in
          plan.numbers.withUnsafeBufferPointer { numbers in
            plan.bytes.withUnsafeBufferPointer { bytes in
              body(
                ContentCheck(
                  nodes: nodes, properties: properties, words: words, numbers: numbers, bytes: bytes,
                  hasDistantDate: hasDistantDate))
            }
          }
        }
      }
    }
  }

  func check(_ value: JSONNode, _ number: Int32) throws(DecodeFailure) {
    let node = nodes[Int(number)]
    if node.isOptional, value.isNull { return }
    switch node.form {
    case .any: return
    case .object: try judgeProperties(of: value, node)
    case .array: try judgeElements(of: value, node)
    case .dictionary, .intDictionary: try judgeMembers(of: value, node)
    case .pairs: try judgePairs(of: value, node)
    case .caseEnum: try judgeCase(value, node)
    case .dateRange: try judgeRange(value)
    case .bool: if value.bool == nil { throw mismatch(value, node.form) }
    case .double: _ = try double(value, node.form)
    case .float: try judgeFloat(value)
    case .date: note(date: try double(value, node.form))
    case .int: _ = try wholeNumber(value, node.form)
    case .fixedInt: try judgeFixedInt(value, node)
    case .intEnum: try judgeNumber(value, node)
    case .stringEnum: try judgeWord(value, node)
    case .string: if value.kind != .string { throw mismatch(value, node.form) }
    case .data: try check(value, as: node.form, by: ContentText.isBase64, reason: "is not valid base64")
    case .url: try check(value, as: node.form, by: ContentText.isURL, reason: "is not valid for URL(string:)")
    case .uuid: try check(value, as: node.form, by: ContentText.isUUID, reason: "is not a valid UUID")
    }
  }

  private func mismatch(_ value: JSONNode, _ form: CompiledSchema.Form) -> DecodeFailure {
    DecodeFailure(.typeMismatch(expected: form.expectation, found: value.kind))
  }
}

/// Nested values.
extension ContentCheck {
  private func judgeProperties(of value: JSONNode, _ node: CompiledSchema.Node) throws(DecodeFailure) {
    guard value.isObject else { throw mismatch(value, node.form) }
    for index in node.content {
      let property = properties[Int(index)]
      guard let member = value.first(key(property.name)) else {
        if nodes[Int(property.node)].isOptional { continue }
        throw DecodeFailure.missing(key(property.name).text, in: value)
      }
      do throws(DecodeFailure) {
        try check(member, property.node)
      } catch {
        throw error.below(.key(key(property.name).text))
      }
    }
  }

  private func judgeElements(of value: JSONNode, _ node: CompiledSchema.Node) throws(DecodeFailure) {
    guard value.isArray else { throw mismatch(value, node.form) }
    var index = 0
    for element in value.elements {
      do throws(DecodeFailure) {
        try check(element, node.content.lowerBound)
      } catch {
        throw error.below(.index(index))
      }
      index += 1
    }
  }

  private func judgeMembers(of value: JSONNode, _ node: CompiledSchema.Node) throws(DecodeFailure) {
    guard value.isObject else { throw mismatch(value, node.form) }
    var index = 0
    for member in value.members {
      do throws(DecodeFailure) {
        if node.form == .intDictionary, Int(member.name) == nil {
          throw DecodeFailure(.badValue(reason: "has a key that is not an Int"))
        }
        try check(member.node, node.content.lowerBound)
      } catch {
        // Observed: of a duplicate key, only the first value is decoded.
        let name = member.name
        let isRepeated = value.members.prefix(index).contains { $0.name == name }
        if !isRepeated { throw error.below(.key(name)) }
      }
      index += 1
    }
  }

  /// Observed: an odd number of elements is rejected before any of them is decoded.
  private func judgePairs(of value: JSONNode, _ node: CompiledSchema.Node) throws(DecodeFailure) {
    guard value.isArray else { throw mismatch(value, node.form) }
    guard value.count.isMultiple(of: 2) else {
      throw DecodeFailure(.badValue(reason: "has a key without a value: it must have keys and values in turn"))
    }
    var index = 0
    for element in value.elements {
      do throws(DecodeFailure) {
        try check(element, index.isMultiple(of: 2) ? node.content.lowerBound : node.content.upperBound)
      } catch {
        throw error.below(.index(index))
      }
      index += 1
    }
  }

  /// Observed: exactly one key is a case; other keys are ignored.
  private func judgeCase(_ value: JSONNode, _ node: CompiledSchema.Node) throws(DecodeFailure) {
    guard value.isObject else { throw mismatch(value, node.form) }
    var found: (property: CompiledSchema.Property, node: JSONNode)?
    var count = 0
    for index in node.content {
      let property = properties[Int(index)]
      guard let member = value.first(key(property.name)) else { continue }
      found = (property, member)
      count += 1
    }
    guard count == 1, let found else {
      let cases = node.content.map { key(properties[Int($0)].name).text }.joined(separator: ", ")
      let reason = "must have one case of the enum as its key (\(cases))"
      throw DecodeFailure(.badValue(reason: reason + (count > 1 ? ", not \(count)" : "")))
    }
    do throws(DecodeFailure) {
      try check(found.node, found.property.node)
    } catch {
      throw error.below(.key(key(found.property.name).text))
    }
  }

  /// Observed: two dates in order; further elements are ignored.
  private func judgeRange(_ value: JSONNode) throws(DecodeFailure) {
    guard value.isArray else { throw mismatch(value, .dateRange) }
    var elements = value.elements
    let lower = try bound(elements.next(), 0)
    let upper = try bound(elements.next(), 1)
    if lower > upper { throw DecodeFailure(.badValue(reason: "is a range that ends before it begins")) }
  }

  private func bound(_ value: JSONNode?, _ index: Int) throws(DecodeFailure) -> Double {
    guard let value else { throw DecodeFailure(.missingElement).below(.index(index)) }
    do throws(DecodeFailure) {
      let bound = try double(value, .date)
      note(date: bound)
      return bound
    } catch {
      throw error.below(.index(index))
    }
  }

  private func note(date seconds: Double) {
    if ContentDates.isDistant(seconds) { hasDistantDate.pointee = true }
  }
}

/// Scalar values.
extension ContentCheck {
  private func check(
    _ value: JSONNode, as form: CompiledSchema.Form, by isSound: (UnsafeBufferPointer<UInt8>) -> Bool, reason: String
  ) throws(DecodeFailure) {
    guard let sound = value.withUTF8(isSound) else { throw mismatch(value, form) }
    if !sound { throw DecodeFailure(.badValue(reason: "\(DecodeFailure.quoted(value.string ?? "")) \(reason)")) }
  }

  /// Observed: Foundation rejects a number beyond every `Double`, which our JSON reader returns as the largest one.
  private func double(_ value: JSONNode, _ form: CompiledSchema.Form) throws(DecodeFailure) -> Double {
    guard let number = value.double else { throw mismatch(value, form) }
    guard abs(number) < .greatestFiniteMagnitude else {
      throw DecodeFailure(.badValue(reason: "is too large for a \(form == .float ? "Float" : "Double")"))
    }
    return number
  }

  /// Documented: an `Int` accepts a number without a remainder, however it is written. Observed: this includes numbers
  /// that a `Double` rounds to an integer, such as `1e-400` and `1.0000000000000001`.
  private func wholeNumber(_ value: JSONNode, _ form: CompiledSchema.Form) throws(DecodeFailure) -> Int64 {
    if let number = value.wholeNumber { return number }
    guard let number = value.double else { throw mismatch(value, form) }
    let isWhole = number.rounded() == number
    throw DecodeFailure(
      .badValue(reason: isWhole ? "is too large for an Int" : "must be a whole number, not \(number)"))
  }

  /// Observed: `Float` differs from `Double` only in its limits. Not reproduced: the rounding of decimals next to them.
  private func judgeFloat(_ value: JSONNode) throws(DecodeFailure) {
    let number = try double(value, .float)
    let narrow = Float(number)
    if narrow.isInfinite { throw DecodeFailure(.badValue(reason: "is too large for a Float")) }
    if narrow == 0, number != 0 { throw DecodeFailure(.badValue(reason: "is too small for a Float")) }
  }

  /// Observed: as for an `Int`. Not reproduced: beyond 2^63, a fraction is lost before it is seen here.
  private func judgeFixedInt(_ value: JSONNode, _ node: CompiledSchema.Node) throws(DecodeFailure) {
    guard let type = FixedInteger(rawValue: node.content.lowerBound) else { return }
    if let number = value.wholeNumber {
      if type.contains(number) { return }
    } else if let number = value.largeWholeNumber {
      if number <= type.highest { return }
    } else {
      guard let number = value.double else { throw mismatch(value, node.form) }
      guard number.rounded() == number else {
        throw DecodeFailure(.badValue(reason: "must be a whole number, not \(number)"))
      }
    }
    let reason = "is not in the range of \(type.typeName), \(type.lowest) to \(type.highest)"
    throw DecodeFailure(.badValue(reason: reason))
  }

  private func judgeNumber(_ value: JSONNode, _ node: CompiledSchema.Node) throws(DecodeFailure) {
    let number = try wholeNumber(value, node.form)
    for index in node.content where numbers[Int(index)] == number { return }
    throw .unknown("\(number)", among: node.content.map { String(numbers[Int($0)]) })
  }

  private func judgeWord(_ value: JSONNode, _ node: CompiledSchema.Node) throws(DecodeFailure) {
    for index in node.content where value.isString(key(words[Int(index)])) { return }
    guard let text = value.string else { throw mismatch(value, node.form) }
    throw .unknown(DecodeFailure.quoted(text), among: node.content.map { key(words[Int($0)]).text })
  }

  private func key(_ word: CompiledSchema.Word) -> JSONKeyView {
    let place = Int(word.place.lowerBound)..<Int(word.place.upperBound)
    return JSONKeyView(UnsafeBufferPointer(rebasing: bytes[place]), isASCII: word.isASCII)
  }
}
