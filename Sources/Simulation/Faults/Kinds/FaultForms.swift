import APNs
import Grammar
import Timeline
import WireFormats

extension Shape.Member {
  /// The word of a kind without a value: true.
  static func flag(_ name: String, _ meaning: String) -> Self {
    .key(name, as: .isTrue, meaning, isNeeded: true) { (fields, _) throws(InputProblem) in
      guard try fields.truth(name) == true else {
        throw fields.problem(name, "\(name) must be true; to delete the fault, use DELETE.")
      }
    } write: { _ in
      true
    }
  }
}

extension FieldForm<UInt32> {
  /// An error code of HTTP/2, by its name if it has one (RFC 9113, section 7).
  static var errorCode: FieldForm {
    FieldForm(.errorCode) { (fields, name) throws(InputProblem) in
      try fields.errorCode(name)
    } write: {
      HTTP2ErrorName.all.indices.contains(Int($0)) ? .string(HTTP2ErrorName.all[Int($0)]) : .integer(Int64($0))
    }
  }
}

extension FieldForm<[UInt8]> {
  /// A text as UTF-8.
  static var bytes: FieldForm {
    FieldForm(.text()) { (fields, name) throws(InputProblem) in
      try fields.text(name).map { Array($0.utf8) }
    } write: {
      .string(String(decoding: $0, as: UTF8.self))
    }
  }
}

extension FieldForm<Int> {
  static func unquoted(_ range: ClosedRange<Int>) -> FieldForm {
    FieldForm(.whole(range)) { (fields, name) throws(InputProblem) in
      fields.has(name) ? try fields.neededWhole(name, range) : nil
    } write: {
      JSONValue($0)
    }
  }
}

extension FieldForm<Duration> {
  /// A duration that may be negative: `-90m`.
  ///
  /// - Parameter what: whose clock is ahead or behind by it.
  static func offset(of what: String, wanted: String = "") -> FieldForm {
    FieldForm(.offset, wanted: wanted) { (fields, name) throws(InputProblem) in
      fields.has(name) ? try fields.offset(name, of: what) : nil
    } write: {
      FieldForm.duration.write($0)
    }
  }
}

/// Values that several kinds of fault have.
extension Fields {
  /// An error code of HTTP/2, by its name (RFC 9113, section 7).
  func errorCode(_ name: String) throws(InputProblem) -> UInt32 {
    try neededChoice(name, HTTP2ErrorName.all.enumerated().map { ($1, UInt32($0)) })
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
