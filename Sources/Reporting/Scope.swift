import Timeline
import WireFormats

/// What the templates of one event may name, and what it is.
package struct Scope: Hashable, Sendable {
  private var values: [Root: JSONValue] = [:]

  package init() {}

  package subscript(root: Root) -> JSONValue? {
    get { values[root] }
    set { values[root] = newValue }
  }

  /// Whether a value is there, and neither false nor 0.
  package func holds(_ reference: Reference) -> Bool { value(of: reference)?.isTrue ?? false }

  func value(of reference: Reference) -> JSONValue? { reference.find(in: values[reference.root]) }
}
