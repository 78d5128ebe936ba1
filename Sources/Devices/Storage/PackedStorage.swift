/// A type with a default value.
protocol DefaultInitializable {
  init()
}

/// A value that most records leave at its default: one word in the record, and separate memory once it is stored.
///
/// An array of at most one element is a copy-on-write reference without unsafe code. Its element is read and changed in
/// place. A wrapper type would return copies: yielding accessors are not inlined (Swift 6.3).
typealias OutOfLine<Value: DefaultInitializable> = [Value]

extension Array where Element: DefaultInitializable {
  var isStored: Bool { !isEmpty }

  /// Allocates the value's memory, at index 0.
  mutating func store() {
    if isEmpty { self = [Element()] }
  }
}

extension OptionSet where Element == Self {
  mutating func set(_ member: Self, _ isIn: Bool) {
    if isIn { insert(member) } else { remove(member) }
  }
}
