import APNs
import Grammar
import Timeline
import WireFormats

/// A further member of `then`, with its valid values.
package struct FaultMember: Sendable {
  package let name: String
  package let type: ValueType

  init(_ name: String, _ type: ValueType) {
    self.name = name
    self.type = type
  }

  static let debug = FaultMember("debug", .text())
  static let pings = FaultMember("pings", .truth)
  static let after = FaultMember("after", .duration)
  /// A member of `window` and `streams`, with the range of `window`; that of `streams` itself is smaller.
  static let back = FaultMember("back", .whole(WindowFault.sizes))
}

extension ValueType {
  static let reasons = ValueType.words(RejectionReason.allCases.map(\.rawValue))
  static let errorCodes = ValueType.words(HTTP2ErrorName.all)
}

/// Values that several kinds of fault have.
extension Fields {
  /// An error code of HTTP/2, by its name (RFC 9113, section 7).
  func errorCode(_ name: String) throws(InputProblem) -> UInt32 {
    try neededChoice(name, HTTP2ErrorName.all.enumerated().map { ($1, UInt32($0)) })
  }

  func reason(_ name: String) throws(InputProblem) -> RejectionReason {
    try neededChoice(name, RejectionReason.allCases.map { ($0.rawValue, $0) })
  }

  /// A whole number that must be there.
  func neededWhole(_ name: String, _ range: ClosedRange<Int>) throws(InputProblem) -> Int {
    guard let number = json(name)?.integer.flatMap({ Int(exactly: $0) }), range.contains(number) else {
      throw problem(name, "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  /// A duration that may be negative: `-90m`.
  ///
  /// - Parameter what: whose clock is ahead or behind by it.
  func offset(_ name: String, of what: String) throws(InputProblem) -> Duration {
    if let text = self[name]?.spelling, let first = text.first, first == "-" || first == "+",
      let length = DurationText.parse(String(text.dropFirst()))
    {
      return first == "-" ? .zero - length : length
    }
    guard let offset = self[name].flatMap(Fields.duration) else {
      throw problem(name, "\(name) must be how far the clock of \(what) is ahead (90m) or behind (-90m).")
    }
    return offset
  }

  /// The value that comes after a while, and how long after: a second, unless it is said.
  func back() throws(InputProblem) -> (value: Int, after: Duration)? {
    let value = has("back") ? try neededWhole("back", WindowFault.sizes) : nil
    let after = try duration("after")
    guard let value else {
      guard after == nil else {
        throw problem("after", "after is the delay until the value changes back; it needs back, such as 1000.")
      }
      return nil
    }
    return (value, after ?? .seconds(1))
  }
}

extension ObjectWriter {
  /// An error code of HTTP/2, by its name if it has one (RFC 9113, section 7).
  mutating func put(errorCode code: UInt32, as name: String) { put(name, Self.json(errorCode: code)) }

  static func json(errorCode code: UInt32) -> JSONValue {
    HTTP2ErrorName.all.indices.contains(Int(code)) ? .string(HTTP2ErrorName.all[Int(code)]) : .integer(Int64(code))
  }

  mutating func put(debug: [UInt8]) {
    if !debug.isEmpty { put("debug", String(decoding: debug, as: UTF8.self)) }
  }

  mutating func put(back value: Int?, after: Duration) {
    guard let value else { return }
    put("back", value)
    put("after", after)
  }
}
