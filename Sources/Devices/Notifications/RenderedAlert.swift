/// An alert as a person reads it; missing lines are empty.
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

/// Text limited to a number of UTF-8 bytes; it is cut between scalars.
struct BoundedText {
  private(set) var text = ""
  private var room: Int

  init(bytes: Int) { room = bytes }

  var isFull: Bool { room == 0 }

  /// Appends as many complete scalars as fit.
  mutating func append(_ new: Substring) {
    let count = new.utf8.count
    guard count > room else {
      text += new
      room -= count
      return
    }
    var end = new.utf8.index(new.utf8.startIndex, offsetBy: room)
    while end > new.utf8.startIndex, UTF8.isContinuation(new.utf8[end]) { end = new.utf8.index(before: end) }
    text += new[..<end]
    // Later, shorter scalars must not be appended after a gap.
    room = 0
  }

  mutating func append(_ new: String) { append(new[...]) }
}
