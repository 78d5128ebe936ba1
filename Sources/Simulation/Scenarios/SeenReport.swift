import WireFormats

/// A call of an app as an expectation looks at it.
struct SeenReport {
  let end: CallEnd
  /// Read when first asked for: most expectations never do.
  private var read: JSONValue??

  init(_ end: CallEnd) { self.end = end }

  /// Its JSON body; nil for one that is no JSON, or longer than is kept.
  mutating func body() -> JSONValue? {
    if let read { return read }
    let found = end.body.flatMap { try? JSONValue.parse(Array($0.utf8)) }
    read = .some(found)
    return found
  }
}
