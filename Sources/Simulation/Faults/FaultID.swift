/// What tells faults apart: two sessions may have faults of the same name.
package struct FaultID: Hashable, Sendable {
  package let name: String
  /// Nil where it is for all.
  package let session: String?

  package init(_ name: String, session: String? = nil) {
    self.name = name
    self.session = session
  }
}
