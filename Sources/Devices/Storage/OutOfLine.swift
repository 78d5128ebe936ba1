/// A value with defaults.
protocol DefaultInitializable {
  init()
}

/// A value that most records leave at its default: one word in the record, and memory of its own once it is stored.
///
/// An array of at most one value is a reference with copy-on-write that needs no unsafe code. Its elements are read and
/// changed where they lie. A type around it would hand out copies: accessors that yield are not inlined (Swift 6.3).
typealias OutOfLine<Value: DefaultInitializable> = [Value]

extension Array where Element: DefaultInitializable {
  var isStored: Bool { !isEmpty }

  /// From now on the value has memory of its own, at index 0.
  mutating func store() {
    if isEmpty { self = [Element()] }
  }
}
