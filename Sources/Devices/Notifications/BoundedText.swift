/// Text that grows to a number of UTF-8 bytes and no further; it is cut between scalars.
struct BoundedText {
  private var scalars = String.UnicodeScalarView()
  private var room: Int

  init(bytes: Int) { room = bytes }

  var text: String { String(scalars) }
  var isFull: Bool { room == 0 }

  mutating func append(_ scalar: Unicode.Scalar) {
    let width = UTF8.width(scalar)
    guard width <= room else {
      // What is narrower and comes later must not slip in behind a gap.
      room = 0
      return
    }
    scalars.append(scalar)
    room -= width
  }

  mutating func append(_ text: String) {
    for scalar in text.unicodeScalars {
      guard !isFull else { return }
      append(scalar)
    }
  }
}
