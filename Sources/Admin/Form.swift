import Timeline
import WireFormats

/// The body of an order: a JSON object, each member read into its type.
struct Form {
  /// Longest name, id or the like that an order may give: no sentence repeats more, and nothing keeps more.
  private static let longestText = 1000

  private let value: JSONValue
  private let members: [JSONValue.Member]

  init(_ request: AdminRequest, allowed: [String]) throws(AdminProblem) {
    guard !request.body.isEmpty else {
      throw AdminProblem(400, "This request needs a body: a JSON object with \(Words.list(allowed, "or")).")
    }
    do throws(JSONProblem) {
      value = try request.json.get()
    } catch {
      throw AdminProblem(400, "The body is not JSON: \(error.description)")
    }
    guard let members = value.members else {
      throw AdminProblem(422, "The body is a JSON object with \(Words.list(allowed, "or")).")
    }
    self.members = members
    try Self.check(members, allowed, "here")
  }

  /// An object within a body.
  init(_ value: JSONValue, named name: String, allowed: [String]) throws(AdminProblem) {
    guard let members = value.members else {
      throw AdminProblem(422, "\(name) is an object with \(Words.list(allowed, "or")).", field: name)
    }
    self.value = value
    self.members = members
    try Self.check(members, allowed, "in \(name)")
  }

  private static func check(
    _ members: [JSONValue.Member], _ allowed: [String], _ place: String
  ) throws(AdminProblem) {
    for member in members where !allowed.contains(member.key) {
      let near = Spelling.nearest(to: member.key, among: allowed).map { "did you mean \($0)?" }
      throw AdminProblem(
        422,
        "There is no member \(Words.quoted(member.key)) \(place); \(near ?? "there are \(Words.list(allowed)).")",
        field: member.key)
    }
  }

  subscript(_ name: String) -> JSONValue? { value[name] }

  func text(_ name: String) throws(AdminProblem) -> String? {
    guard let member = value[name] else { return nil }
    guard let text = member.string else { throw AdminProblem(422, "\(name) is a string.", field: name) }
    guard text.utf8.count <= Self.longestText else {
      throw AdminProblem(422, "\(name) is at most \(Self.longestText) bytes of text.", field: name)
    }
    return text
  }

  func needed(_ name: String, _ what: String) throws(AdminProblem) -> String {
    guard let text = try text(name) else { throw AdminProblem(422, "\(name) is needed: \(what).", field: name) }
    return text
  }

  func truth(_ name: String) throws(AdminProblem) -> Bool? {
    guard let member = value[name] else { return nil }
    guard case .bool(let truth) = member else { throw AdminProblem(422, "\(name) is true or false.", field: name) }
    return truth
  }

  func number(_ name: String) throws(AdminProblem) -> Double? {
    guard let member = value[name] else { return nil }
    guard let number = member.number else { throw AdminProblem(422, "\(name) is a number.", field: name) }
    return number
  }

  func whole(_ name: String) throws(AdminProblem) -> Int64? {
    guard let member = value[name] else { return nil }
    guard case .integer(let number) = member, number >= 0 else {
      throw AdminProblem(422, "\(name) is a whole number, not negative.", field: name)
    }
    return number
  }

  func object(_ name: String) throws(AdminProblem) -> JSONValue? {
    guard let member = value[name] else { return nil }
    guard member.members != nil else { throw AdminProblem(422, "\(name) is an object.", field: name) }
    return member
  }

  /// Seconds since 1970, as payloads have them.
  func instant(_ name: String) throws(AdminProblem) -> Instant? {
    guard let seconds = try number(name) else { return nil }
    guard abs(seconds) < 9e9 else {
      throw AdminProblem(422, "\(name) is a date in seconds since 1970; this looks like milliseconds.", field: name)
    }
    return Instant(nanoseconds: Int64(seconds * 1e9))
  }

  func choice<Value>(_ name: String, _ choices: [(name: String, value: Value)]) throws(AdminProblem) -> Value? {
    guard let member = value[name] else { return nil }
    guard let text = member.string else {
      throw AdminProblem(422, "\(name) is a string: \(Words.list(choices.map(\.name), "or")).", field: name)
    }
    if let choice = choices.first(where: { $0.name == text }) { return choice.value }
    let names = choices.map(\.name)
    let near = Spelling.nearest(to: text, among: names).map { "did you mean \($0)?" }
    throw AdminProblem(
      422, "\(name) cannot be \(Words.quoted(text)); \(near ?? "it is one of \(Words.list(names, "or")).")", field: name
    )
  }

  func neededChoice<Value>(_ name: String, _ choices: [(name: String, value: Value)]) throws(AdminProblem) -> Value {
    guard let value = try choice(name, choices) else {
      throw AdminProblem(422, "\(name) is needed: \(Words.list(choices.map(\.name), "or")).", field: name)
    }
    return value
  }

  /// Refuses members that say nothing in this order, so that nobody believes they did.
  func takesOnly(_ names: [String], because order: String, beside others: [String] = []) throws(AdminProblem) {
    for member in members where !names.contains(member.key) && !others.contains(member.key) {
      throw AdminProblem(422, "\(order) takes no \(member.key); it takes \(Words.list(names)).", field: member.key)
    }
  }
}
