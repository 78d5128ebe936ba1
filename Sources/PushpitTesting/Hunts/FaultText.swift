/// A fault of the admin API as the trait that sets it.
struct FaultText {
  private let then: [String: JSON]
  private let fault: JSON

  /// - Parameter fault: a body of `POST /v1/faults`.
  init(_ fault: JSON) {
    self.fault = fault
    then = fault["then"].object ?? [:]
  }

  /// The trait, such as `.fault(.loseAnswer(.cancel), when: .event("update"), limit: 1)`.
  var trait: String {
    let words = [consequence, conditions, odds, limit] + times
    return ".fault(\(words.compactMap(\.self).joined(separator: ", ")))"
  }

  // MARK: - What goes wrong

  private var consequence: String? {
    if let reason = then["answer"] {
      return call("answer", word(Pushpit.Reason.self, reason), number("retryAfter"), time("age"))
    }
    if let code = then["reset"] { return call("reset", word(Pushpit.ErrorCode.self, code)) }
    if let code = then["loseAnswer"] { return code == true ? ".loseAnswer" : call("loseAnswer", error(code)) }
    if let text = then["malformed"] { return call("malformed", literal(text), number("status")) }
    if let code = then["goAway"] {
      return call("goAway", error(code), then["debug"].map { "debug: \(literal($0))" }, truth("closes"))
    }
    if let value = then["arrival"] { return late("arrival", value, as: word(Pushpit.ArrivalFault.self, value)) }
    if let value = then["calls"] { return late("calls", value, as: word(Pushpit.CallFault.self, value)) }
    if let time = then["delay"] { return call("delay", Self.duration(time)) }
    if then["halfClose"] != nil { return call("halfClose", truth("goodbye")) }
    let flags = ["abort": "abort", "close": "close", "lose": "lose", "silence": "silence", "withoutId": "withoutID"]
    return flags.keys.sorted().first { then[$0] != nil }.flatMap { flags[$0] }.map { ".\($0)" }
      ?? "/* \(JSON(then)) */"
  }

  private func late(_ name: String, _ value: JSON, as word: String?) -> String {
    call(name, word ?? "delay: \(Self.duration(value["delay"]))")
  }

  private func call(_ name: String, _ values: String?...) -> String {
    let given = values.compactMap(\.self)
    return given.isEmpty ? ".\(name)" : ".\(name)(\(given.joined(separator: ", ")))"
  }

  private func error(_ value: JSON) -> String? { word(Pushpit.ErrorCode.self, value) }

  private func number(_ name: String) -> String? { then[name]?.int.map { "\(name): \($0)" } }
  private func truth(_ name: String) -> String? { then[name]?.bool.map { "\(name): \($0)" } }
  private func time(_ name: String) -> String? { then[name].map { "\(name): \(Self.duration($0))" } }

  private func word<Word: RawRepresentable<String>>(_ type: Word.Type, _ value: JSON) -> String? {
    value.string.flatMap { Word(rawValue: $0) }.map { ".\($0)" }
  }

  private func literal(_ value: JSON) -> String {
    let text = value.text
    return text.contains("\"") || text.contains("\\") ? "#\"\(text)\"#" : "\"\(text)\""
  }

  // MARK: - When

  private var conditions: String? {
    guard let given = fault["when"].object, !given.isEmpty else { return nil }
    let order = ["event", "pushType", "tokenKind", "skip", "every"]
    let words = order.compactMap { name in given[name].map { condition(name, $0) } }
    return "when: " + words.joined(separator: ", ")
  }

  private func condition(_ name: String, _ value: JSON) -> String {
    switch name {
    case "pushType": call(name, word(Pushpit.ApnsPushType.self, value))
    case "tokenKind": call(name, word(Pushpit.TokenKind.self, value))
    default: call(name, value.int.map { "\($0)" } ?? literal(value))
    }
  }

  private var odds: String? {
    let percent = fault["odds"].string.flatMap { Double($0.dropLast()) }.map { $0 / 100 }
    return (percent ?? fault["odds"].double).map { "odds: \($0)" }
  }

  private var limit: String? { fault["limit"].int.map { "limit: \($0)" } }

  private var times: [String?] {
    ["from", "until", "for"].map { name in
      fault[name].isNull ? nil : "\(name): \(Self.duration(fault[name]))"
    }
  }

  /// A duration in code, such as `.milliseconds(200)`; that of the admin API is `200ms`, or a number of seconds.
  static func duration(_ value: JSON) -> String {
    if let seconds = value.double {
      return ".seconds(\(seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"))"
    }
    let units: [(String, Int)] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)]
    var left = value.text[...]
    var milliseconds = 0
    while !left.isEmpty {
      let digits = left.prefix { $0.isNumber }
      let unit = left.dropFirst(digits.count).prefix { $0.isLetter }
      guard let count = Int(digits), let one = units.first(where: { $0.0 == unit })?.1 else {
        return "/* \(value.text) */"
      }
      milliseconds += count * one
      left = left.dropFirst(digits.count + unit.count)
    }
    return milliseconds % 1000 == 0 ? ".seconds(\(milliseconds / 1000))" : ".milliseconds(\(milliseconds))"
  }
}
