import WireFormats

/// Perturbations as people would tell them.
extension Perturbation {
  /// A line such as `the answer to the first update push is lost`.
  package var words: String {
    guard place == .faults, let then = value["then"], let word = then.members?.first?.key else { return "\(kind)" }
    let pushes = subject(then["calls"] == nil ? "push" : "call")
    switch word {
    case "answer": return "\(pushes) gets \(Self.answer(then))"
    case "delay": return "the answer to \(pushes) comes after \(Self.text(then[word]))"
    case "loseAnswer": return "the answer to \(pushes) is lost, and the push is delivered"
    case "lose": return "\(pushes) is answered 200 and never reaches its phone"
    case "reset": return "the stream of \(pushes) is reset with \(Self.text(then[word]))"
    case "malformed":
      return "\(pushes) is lost and gets \(Self.text(then["status"] ?? 400)) with a body that APNs never sends"
    case "withoutId": return "\(pushes) gets an answer without an apns-id"
    case "goAway": return "the connection of \(pushes) gets GOAWAY \(Self.text(then[word]))"
    case "abort": return "the connection of \(pushes) is aborted"
    case "close", "halfClose": return "the connection of \(pushes) is closed"
    case "arrival": return "\(pushes) is accepted and \(Self.arrival(then[word]))"
    case "calls": return "\(pushes) of an app \(Self.call(then[word]))"
    default: return "\(pushes): \(then.text)"
    }
  }

  private static func text(_ value: JSONValue?) -> String { value.map { $0.string ?? $0.text } ?? "" }

  private static func answer(_ then: JSONValue) -> String {
    let wait = then["retryAfter"].map { " with Retry-After: \(text($0))" } ?? ""
    let age = then["age"].map { ", for a token that died \(text($0)) ago" } ?? ""
    return text(then["answer"]) + wait + age
  }

  private static func arrival(_ value: JSONValue?) -> String {
    switch value?.string {
    case "double": "arrives twice"
    case "overtake": "arrives after the next one"
    case "lose": "never arrives"
    default: "arrives \(text(value?["delay"])) later"
    }
  }

  private static func call(_ value: JSONValue?) -> String {
    switch value?.string {
    case "double": "is made twice"
    case "overtake": "comes after the next one"
    case "loseAnswer": "is carried out, and its answer is lost"
    case "lose": "is lost"
    default: "comes \(text(value?["delay"])) later"
    }
  }

  /// The pushes or calls that it strikes, such as `update push number 3`.
  private func subject(_ noun: String) -> String {
    let condition = value["when"]
    let word = condition?["event"] ?? condition?["pushType"]
    let name = word.map { "\(Self.text($0)) \(noun)" } ?? noun
    let skip = condition?["skip"]?.integer ?? 0
    let chance = value["odds"].map { " (by chance, \(Self.text($0)))" } ?? ""
    let after = skip > 0 ? " after the first \(skip)" : ""
    guard let limit = value["limit"]?.integer else { return "each \(name)\(after)\(chance)" }
    if limit == 1, chance.isEmpty { return skip > 0 ? "\(name) number \(skip + 1)" : "the first \(name)" }
    if limit == 1 { return "a \(name)\(after)\(chance)" }
    return "each of \(limit) \(name)\(noun == "push" ? "es" : "s")\(after)\(chance)"
  }
}
