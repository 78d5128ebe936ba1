import Devices
import Timeline
import WireFormats

/// Attributes and content states that decode into the types of an app, and that change from push to push.
struct ContentExample: Sendable {
  /// For dates.
  let now: Instant

  private static let identifier = "8C1F3A52-6B0E-4E7D-9D44-1A2B3C4D5E6F"
  /// Seconds from 1970 to 2001, from where Foundation counts dates.
  private static let reference: Int64 = 978_307_200

  /// A value of the type.
  ///
  /// - Parameter name: of the property, which its text repeats.
  func value(_ schema: ContentSchema, named name: String = "value") -> JSONValue {
    switch schema {
    case .string: .string(name)
    case .int, .fixedInt, .any: 0
    case .double, .float: .double(0.5)
    case .bool: .bool(false)
    case .date: date(after: 0)
    case .data: "UHVzaHBpdA=="
    case .url: "https://example.com"
    case .uuid: .string(Self.identifier)
    case .dateRange: .array([date(after: 0), date(after: 3600)])
    case .stringEnum(let words): words.first.map { .string($0) } ?? .null
    case .intEnum(let numbers): numbers.first.map { .integer($0) } ?? .null
    case .optional(let inner): value(inner, named: name)
    case .array(let inner): .array([value(inner, named: name)])
    case .dictionary(let inner): .object([.init(name, value(inner, named: name))])
    case .intDictionary(let inner): .object([.init("1", value(inner, named: name))])
    case .pairs(let key, let inner): .array([value(key, named: name), value(inner, named: name)])
    case .caseEnum(let cases): .object(cases.prefix(1).map { .init($0.name, value($0.schema, named: $0.name)) })
    case .object(let properties): .object(properties.map { .init($0.name, value($0.schema, named: $0.name)) })
    }
  }

  private func date(after seconds: Int64) -> JSONValue { .integer(now.seconds - Self.reference + seconds) }

  /// A value of the same type that differs from another one in a single place: in a number if it has one.
  ///
  /// - Parameter schema: nil if anything decodes.
  func changed(_ value: JSONValue, _ schema: ContentSchema?) -> JSONValue {
    if let changed = changed(value, schema, onlyNumbers: true) ?? changed(value, schema, onlyNumbers: false) {
      return changed
    }
    guard schema == nil, let members = value.members else { return value }
    return .object(members.filter { $0.key != "count" } + [.init("count", 1)])
  }

  private func changed(_ value: JSONValue, _ schema: ContentSchema?, onlyNumbers: Bool) -> JSONValue? {
    switch value {
    case .object(let members):
      for (place, member) in members.enumerated() {
        guard let new = changed(member.value, schema?.member(member.key), onlyNumbers: onlyNumbers) else { continue }
        var all = members
        all[place] = .init(member.key, new)
        return .object(all)
      }
      guard !onlyNumbers, case .caseEnum(let cases) = schema?.wrapped else { return nil }
      return Self.next(after: members.first?.key, in: cases.map { $0.name }).flatMap { name in
        cases.first { $0.name == name }.map { .object([.init($0.name, self.value($0.schema, named: $0.name))]) }
      }
    case .array(let elements):
      for (place, element) in elements.enumerated() {
        guard let new = changed(element, schema?.element(at: place), onlyNumbers: onlyNumbers) else { continue }
        var all = elements
        all[place] = new
        return .array(all)
      }
      return nil
    case .integer, .double: return changed(number: value, schema?.wrapped, onlyNumbers: onlyNumbers)
    case .bool(let flag) where !onlyNumbers: return .bool(!flag)
    case .string(let text) where !onlyNumbers: return changed(text: text, schema?.wrapped)
    default: return nil
    }
  }

  private func changed(number: JSONValue, _ schema: ContentSchema?, onlyNumbers: Bool) -> JSONValue? {
    switch schema {
    case nil, .int, .double, .float, .any:
      guard let whole = number.integer else { return number.number.map { .double($0 + 1) } }
      return .integer(whole < .max ? whole + 1 : 0)
    case .fixedInt(let type):
      return number.integer.map { .integer($0 < Int64(clamping: type.highest) ? $0 + 1 : 0) }
    case .date where !onlyNumbers: return date(after: 0)
    case .intEnum(let numbers) where !onlyNumbers:
      return number.integer.flatMap { Self.next(after: $0, in: numbers) }.map { .integer($0) }
    default: return nil
    }
  }

  private func changed(text: String, _ schema: ContentSchema?) -> JSONValue? {
    switch schema {
    case nil, .string, .any:
      guard let space = text.lastIndex(of: " "), let number = Int32(text[text.index(after: space)...]) else {
        return .string(text + " 2")
      }
      return .string("\(text[..<space]) \(Int(number) + 1)")
    case .stringEnum(let words): return Self.next(after: text, in: words).map { .string($0) }
    default: return nil
    }
  }

  /// Nil if there is no other one.
  private static func next<Value: Equatable>(after value: Value, in all: [Value]) -> Value? {
    guard all.count > 1 else { return nil }
    return all[((all.firstIndex(of: value) ?? -1) + 1) % all.count]
  }
}

extension ContentSchema {
  fileprivate var wrapped: ContentSchema { if case .optional(let inner) = self { inner.wrapped } else { self } }

  /// The type of a member of an object.
  fileprivate func member(_ name: String) -> ContentSchema {
    switch wrapped {
    case .object(let properties), .caseEnum(let properties): properties.first { $0.name == name }?.schema ?? .any
    case .dictionary(let inner), .intDictionary(let inner): inner
    default: .any
    }
  }

  /// The type of the elements of an array.
  fileprivate func element(at place: Int) -> ContentSchema {
    switch wrapped {
    case .array(let inner): inner
    case .pairs(let key, let inner): place.isMultiple(of: 2) ? key : inner
    // A type that never changes: both bounds would have to move.
    case .dateRange: .data
    default: .any
    }
  }
}
