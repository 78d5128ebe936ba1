/// A value that the admin API takes as JSON.
protocol JSONWritable: Sendable {
  var json: JSON { get }
}

/// A member of an object: a filter, a condition, an option. Values of the generated types are made by their functions.
protocol ObjectMember: Sendable {
  var name: String { get }
  var value: JSON { get }

  init(name: String, value: JSON)
}

/// A value that is a whole object.
protocol JSONObject: JSONWritable {
  init(json: JSON)
}

extension ObjectMember {
  init(_ name: String, _ value: some JSONWritable) { self.init(name: name, value: value.json) }
}

extension JSONObject {
  init(_ members: [String: (any JSONWritable)?]) { self.init(json: JSON(members: members)) }
}

extension Array where Element: ObjectMember {
  /// The object with these members; of those with the same name, the last counts.
  var object: JSON { JSON(Dictionary(map { ($0.name, $0.value) }) { _, last in last }) }

  /// Nil, which is not JSON's null, without members.
  var objectIfAny: JSON? {
    guard !isEmpty else { return nil }
    return object
  }
}

extension JSON {
  /// Members that are nil are left out.
  init(members: [String: (any JSONWritable)?]) { self.init(members.compactMapValues { $0?.json }) }

  func adding(members: [String: (any JSONWritable)?]) -> JSON { adding(members.compactMapValues { $0?.json }) }

  /// The value with this raw text; nil if no value has it.
  func word<Word: RawRepresentable<String>>() -> Word? { string.flatMap { Word(rawValue: $0) } }
}

extension JSONWritable where Self: RawRepresentable<String> {
  var json: JSON { JSON(rawValue) }
}

extension JSON: JSONWritable {
  var json: JSON { self }
}

extension String: JSONWritable {
  var json: JSON { JSON(self) }
}

extension Int: JSONWritable {
  var json: JSON { JSON(self) }
}

extension Double: JSONWritable {
  var json: JSON { JSON(self) }
}

extension Bool: JSONWritable {
  var json: JSON { JSON(self) }
}

extension Duration: JSONWritable {
  /// In seconds.
  var json: JSON {
    let seconds = self / .seconds(1)
    return Int(exactly: seconds).map { JSON($0) } ?? JSON(seconds)
  }
}

extension Array: JSONWritable where Element: JSONWritable {
  var json: JSON { JSON(map(\.json)) }
}
