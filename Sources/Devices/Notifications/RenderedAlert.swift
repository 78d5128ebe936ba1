/// An alert as a person reads it; a line that is not there is empty.
package struct RenderedAlert: Hashable, Sendable {
  package let title: String
  package let subtitle: String
  package let body: String

  package init(title: String = "", subtitle: String = "", body: String = "") {
    self.title = title
    self.subtitle = subtitle
    self.body = body
  }

  package var isEmpty: Bool { title.isEmpty && subtitle.isEmpty && body.isEmpty }
}
