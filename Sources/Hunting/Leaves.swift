import Timeline
import WireFormats

/// The values of a JSON object by their paths, without those that differ honestly from play to play: times, ids that
/// are drawn, and arrays that contain either.
struct Leaves: Hashable, Sendable {
  /// Keys from the outermost to the innermost.
  typealias Path = [String]

  private(set) var values: [Path: JSONValue] = [:]

  init() {}

  /// - Parameters:
  ///   - now: numbers near this time are times.
  ///   - hasIDs: true to keep ids that are drawn.
  init(_ value: JSONValue?, near now: Instant, hasIDs: Bool = false) {
    if let value { add(value, at: [], near: now, hasIDs: hasIDs) }
  }

  private mutating func add(_ value: JSONValue, at path: Path, near now: Instant, hasIDs: Bool) {
    guard let members = value.members else {
      if !Self.isDrawn(value, near: now, hasIDs) { values[path] = Self.normal(value) }
      return
    }
    for member in members { add(member.value, at: path + [member.key], near: now, hasIDs: hasIDs) }
  }

  /// Numbers are compared by value, however they are written.
  private static func normal(_ value: JSONValue) -> JSONValue {
    guard case .double(let number) = value, let whole = Int64(exactly: number) else { return value }
    return .integer(whole)
  }

  /// An object with these values.
  var json: JSONValue {
    var object = JSONValue.object([])
    for (path, value) in sorted { object = Self.put(value, at: path[...], into: object) }
    return object
  }

  private static func put(_ value: JSONValue, at path: ArraySlice<String>, into object: JSONValue) -> JSONValue {
    guard let key = path.first else { return value }
    var members = object.members ?? []
    let place = members.firstIndex { $0.key == key } ?? members.endIndex
    let inner = place < members.endIndex ? members.remove(at: place).value : .object([])
    members.insert(.init(key, put(value, at: path.dropFirst(), into: inner)), at: place)
    return .object(members)
  }

  /// By path.
  var sorted: [(key: Path, value: JSONValue)] { values.sorted { $0.key.lexicographicallyPrecedes($1.key) } }

  /// Keys of a path are joined by dots.
  var words: String {
    sorted.map { "\($0.key.joined(separator: "."))=\($0.value.text)" }.joined(separator: ", ")
  }

  func filtered(_ isKept: (Path, JSONValue) -> Bool) -> Leaves {
    var copy = Leaves()
    copy.values = values.filter { isKept($0.key, $0.value) }
    return copy
  }

  var isEmpty: Bool { values.isEmpty }

  subscript(path: Path) -> JSONValue? { values[path] }

  // MARK: - What differs honestly

  /// Two days: longer than stories last.
  private static let near: Double = 2 * 24 * 3600
  /// Swift's dates count from 2001.
  private static let reference: Double = 978_307_200
  private static let shortestID = 16

  private static func isDrawn(_ value: JSONValue, near now: Instant, _ hasIDs: Bool) -> Bool {
    if let elements = value.elements { return elements.contains { isDrawn($0, near: now, hasIDs) } }
    if let members = value.members { return members.contains { isDrawn($0.value, near: now, hasIDs) } }
    if let text = value.string { return isTime(text) || !hasIDs && isID(text) }
    guard let number = value.number else { return false }
    let seconds = Double(now.seconds)
    return abs(number - seconds) < near || abs(number / 1000 - seconds) < near
      || abs(number + reference - seconds) < near
  }

  /// True for text that begins as a date does in ISO 8601.
  private static func isTime(_ text: String) -> Bool {
    let bytes = Array(text.utf8.prefix(11))
    guard bytes.count == 11, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return false }
    return bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " ")
  }

  /// True for a UUID, and for many hexadecimal digits.
  private static func isID(_ text: String) -> Bool {
    text.utf8.count >= shortestID
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
          UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}
