extension JSONValue {
  /// Returns a sentence for each part of this value that another value lacks; additional members are allowed.
  package func differences(from found: JSONValue, _ path: String) -> [String] {
    switch self {
    case .object(let members) where found.members != nil:
      return members.flatMap { member in
        guard let other = found[member.key] else { return ["\(path).\(member.key) is missing"] }
        return member.value.differences(from: other, "\(path).\(member.key)")
      }
    default: return isSame(as: found) ? [] : ["\(path) is \(found.text), not \(text)"]
    }
  }

  /// True if another value contains this one, member by member.
  package func isPart(of found: JSONValue) -> Bool {
    guard case .object(let members) = self, found.members != nil else { return isSame(as: found) }
    return members.allSatisfy { member in found[member.key].map { member.value.isPart(of: $0) } ?? false }
  }

  /// Equal as JSON: the order of members and the notation of numbers do not matter.
  package func isSame(as other: JSONValue) -> Bool {
    if let number, let theirs = other.number { return number == theirs }
    switch (self, other) {
    case (.object(let mine), .object(let theirs)):
      return mine.count == theirs.count
        && mine.allSatisfy { member in other[member.key].map { member.value.isSame(as: $0) } ?? false }
    case (.array(let mine), .array(let theirs)):
      return mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.isSame(as: $1) }
    default: return self == other
    }
  }
}
