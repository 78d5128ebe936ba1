import WireFormats

/// The body of an order: a JSON object, each member read into its type.
struct Form {
  private let value: JSONValue
  private let members: [JSONValue.Member]

  init(_ request: AdminRequest, allowed: [String]) throws(AdminProblem) {
    try Self.checkContentType(request)
    guard !request.body.isEmpty else {
      throw AdminProblem(400, "This request needs a body: a JSON object with \(Words.list(allowed, "or")).")
    }
    do throws(JSONProblem) {
      value = try JSONValue.parse(request.body)
    } catch {
      throw AdminProblem(400, "The body is not JSON: \(error.description)")
    }
    guard let members = value.members else {
      throw AdminProblem(422, "The body is a JSON object with \(Words.list(allowed, "or")).")
    }
    self.members = members
    for member in members where !allowed.contains(member.key) {
      throw AdminProblem(
        422,
        "There is no member \(Words.quoted(member.key)) here, there are \(Words.list(allowed))"
          + Words.suggestion(for: member.key, among: allowed),
        field: member.key)
    }
  }

  /// Without a content type a body is taken for JSON. A web page's form cannot send JSON's.
  private static func checkContentType(_ request: AdminRequest) throws(AdminProblem) {
    guard let given = request.values(of: "content-type").first else { return }
    let type = given.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
    guard type == "application/json" || type.hasPrefix("application/") && type.hasSuffix("+json") else {
      throw AdminProblem(
        415, "A body is sent as JSON with `content-type: application/json` (curl: --json), not \(Words.quoted(given)).",
        field: "content-type")
    }
  }

  subscript(_ name: String) -> JSONValue? { value[name] }

  func text(_ name: String) throws(AdminProblem) -> String? {
    guard let member = value[name] else { return nil }
    guard let text = member.string else { throw AdminProblem(422, "\(name) is a string.", field: name) }
    return text
  }

  func needed(_ name: String, _ what: String) throws(AdminProblem) -> String {
    guard let text = try text(name) else { throw AdminProblem(422, "\(name) is needed: \(what).", field: name) }
    return text
  }

  func choice<Value>(_ name: String, _ choices: [(name: String, value: Value)]) throws(AdminProblem) -> Value? {
    guard let member = value[name] else { return nil }
    guard let text = member.string else {
      throw AdminProblem(422, "\(name) is a string: \(Words.list(choices.map(\.name), "or")).", field: name)
    }
    if let choice = choices.first(where: { $0.name == text }) { return choice.value }
    let names = choices.map(\.name)
    throw AdminProblem(
      422,
      "\(name) is one of \(Words.list(names, "or")), not \(Words.quoted(text))"
        + Words.suggestion(for: text, among: names),
      field: name)
  }

  func neededChoice<Value>(_ name: String, _ choices: [(name: String, value: Value)]) throws(AdminProblem) -> Value {
    guard let value = try choice(name, choices) else {
      throw AdminProblem(422, "\(name) is needed: \(Words.list(choices.map(\.name), "or")).", field: name)
    }
    return value
  }

  /// Refuses members that say nothing in this order, so that nobody believes they did.
  func takesOnly(_ names: [String], because order: String) throws(AdminProblem) {
    for member in members where !names.contains(member.key) {
      throw AdminProblem(422, "\(order) takes no \(member.key); it takes \(Words.list(names)).", field: member.key)
    }
  }
}
