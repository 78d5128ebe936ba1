import WireFormats

/// A path of the broadcast interfaces, taken apart.
struct ChannelPath {
  enum Form: Hashable {
    /// `/4/broadcasts/apps/<bundle id>`
    case broadcast
    /// `/1/apps/<bundle id>/channels`
    case channels
    /// `/1/apps/<bundle id>/all-channels`
    case allChannels
  }

  let form: Form
  let bundleID: Range<Int>

  /// Reads the path of a request, the last where there are several; nil when it is none of these.
  init?(_ request: HTTPRequest) {
    let storage = request.storage
    let bytes = storage.span
    guard let range = request.lastValue(of: ":path") else { return nil }
    let parts = Self.parts(bytes, range)
    switch parts.count {
    case 5 where bytes.holds(parts[1], "4") && bytes.holds(parts[2], "broadcasts") && bytes.holds(parts[3], "apps"):
      form = .broadcast
      bundleID = parts[4]
    case 5 where bytes.holds(parts[1], "1") && bytes.holds(parts[2], "apps") && bytes.holds(parts[4], "channels"):
      form = .channels
      bundleID = parts[3]
    case 5 where bytes.holds(parts[1], "1") && bytes.holds(parts[2], "apps") && bytes.holds(parts[4], "all-channels"):
      form = .allChannels
      bundleID = parts[3]
    default: return nil
    }
    guard parts[0].isEmpty, !bundleID.isEmpty else { return nil }
  }

  /// What stands before, between and after the slashes; of more than five parts only that they are more.
  private static func parts(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var start = range.lowerBound
    for index in range where bytes[index] == UInt8(ascii: "/") && parts.count < 6 {
      parts.append(start..<index)
      start = index + 1
    }
    parts.append(start..<range.upperBound)
    return parts
  }
}

extension HTTPRequest {
  /// Where the last value under that name is written.
  func lastValue(of name: StaticString) -> Range<Int>? {
    let bytes = storage.span
    var cursor = HTTPFieldCursor()
    var found: Range<Int>?
    while let field = cursor.next(in: bytes, end: bodyStart) {
      if bytes.holds(field.name, name) { found = field.value }
    }
    return found
  }
}
