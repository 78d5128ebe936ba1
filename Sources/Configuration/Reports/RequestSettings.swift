import Devices
import Grammar
import Reporting
import Timeline
import WireFormats

/// Reads one request of an event.
struct RequestSettings {
  let file: SettingsFile
  let types: [AttributesType]
  let event: ReportEvent
  /// True if the app has things to follow.
  var follows = false

  private static let keys = [
    "method", "url", "query", "headers", "json", "form", "text", "dedupe", "timeout", "retry", "reconcile", "then",
    "finally",
  ]
  private static let bodies = ["json", "form", "text"]

  func read(_ node: SourceNode) throws(InputProblem) -> RequestTemplate {
    var values: [String: SourceNode] = [:]
    for entry in try file.members(node, "a request", known: Self.keys) { values[entry.key] = entry.value }
    guard let urlNode = values["url"] else {
      throw InputProblem(node.place, "a request needs a url, such as \"{{backend}}/devices\".")
    }
    let bodies = Self.bodies.filter { values[$0] != nil }
    guard bodies.count <= 1 else {
      throw InputProblem(
        node.place, "a request can have only one body; this one has \(bodies.joined(separator: " and ")).")
    }
    let method = try values["method"].map { node throws(InputProblem) in try self.method(node) }
    var request = RequestTemplate(
      method: method ?? (bodies.isEmpty ? "GET" : "POST"), url: try template(urlNode, "url"))
    if let value = values["query"] { request.query = try fields(value, "query") }
    if let value = values["headers"] { request.headers = try fields(value, "headers") }
    if let value = values["json"] {
      request.body = .json(
        try file.saying(value) { () throws(TemplateProblem) in try JSONTemplate(value.json) })
    }
    if let value = values["form"] { request.body = .form(try fields(value, "form")) }
    if let value = values["text"] { request.body = .text(try template(value, "text")) }
    if let value = values["dedupe"] { request.dedupe = try template(value, "dedupe") }
    if let value = values["timeout"] { request.timeout = try file.duration(value, "timeout") }
    if let value = values["retry"] { request.retry = try occasions(value) }
    if let value = values["reconcile"] { request.reconcile = try list(value) }
    if let value = values["then"] { request.then = try steps(value, "then") }
    if let value = values["finally"] { request.finally = try steps(value, "finally") }
    try check(request, node)
    return request
  }

  private func check(_ request: RequestTemplate, _ node: SourceNode) throws(InputProblem) {
    let (before, after) = request.references
    let event = event
    try file.saying(node) { () throws(TemplateProblem) in
      try event.check(before)
      try event.check(after, isAnswered: true)
    }
    for reference in before + after where reference.root == .attributes || reference.root == .contentState {
      try check(reference, node)
    }
  }

  /// A type of the app must have the value, otherwise no activity can have it.
  func check(_ reference: TemplateReference, _ node: SourceNode) throws(InputProblem) {
    guard let name = reference.path.first else { return }
    var known: [String] = []
    for type in types {
      let schema = reference.root == .attributes ? type.attributes : type.contentState
      // Without a schema, any value is possible.
      guard let names = schema?.schema.propertyNames else { return }
      known += names
    }
    guard !known.isEmpty, !known.contains(name) else { return }
    let near = SpellingSuggestion.nearest(to: name, among: known)
    throw InputProblem(
      node.place,
      "{{\(reference)}}: no type of the app has \(name) in its \(reference.root.rawValue)"
        + (near.map { "; did you mean \($0)?" } ?? "; it has \(known.joined(separator: ", "))."))
  }

  private func method(_ node: SourceNode) throws(InputProblem) -> String {
    let word = try file.scalar(node, "method").uppercased()
    guard RequestTemplate.methods.contains(word) else {
      throw InputProblem(
        node.place, "method must be one of \(RequestTemplate.methods.joined(separator: ", ")), not \"\(word)\".")
    }
    return word
  }

  func template(_ node: SourceNode, _ key: String) throws(InputProblem) -> Template {
    let text = try file.scalar(node, key)
    return try file.saying(node) { () throws(TemplateProblem) in try Template(text) }
  }

  private func reference(_ node: SourceNode, _ key: String) throws(InputProblem) -> TemplateReference {
    let text = try file.scalar(node, key)
    return try file.saying(node) { () throws(TemplateProblem) in try TemplateReference(text) }
  }

  /// The place where an answer lists what is followed.
  private func list(_ node: SourceNode) throws(InputProblem) -> TemplateReference {
    let reference = try reference(node, "reconcile")
    guard reference.root == .answer else {
      throw InputProblem(
        node.place, "reconcile must name a list in the answer, such as answer.follows, not \(reference).")
    }
    guard follows else {
      throw InputProblem(
        node.place, "reconcile needs follows, such as {key: matchId}.")
    }
    return reference
  }

  func fields(_ node: SourceNode, _ key: String) throws(InputProblem) -> [RequestTemplate.Field] {
    guard let mapping = node.pairs else {
      throw InputProblem(node.place, "\(key) must have names and values.")
    }
    var fields: [RequestTemplate.Field] = []
    for (name, value) in mapping {
      guard let word = name.text, !word.isEmpty, key != "headers" || Self.isToken(word) else {
        throw InputProblem(name.place, "\(name.text ?? "?") is not a valid name in \(key).")
      }
      let template = try template(value, "\(key).\(word)")
      guard key != "headers" || !template.hasControlCharacters else {
        throw InputProblem(value.place, "\(key).\(word) must not have control characters, which no header can have.")
      }
      fields.append(RequestTemplate.Field(word, template))
    }
    return fields
  }

  /// A header's name (RFC 9110, 5.6.2).
  private static func isToken(_ word: String) -> Bool {
    word.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  private func occasions(_ node: SourceNode) throws(InputProblem) -> [RequestTemplate.Occasion] {
    var list: [RequestTemplate.Occasion] = []
    for word in try file.strings(node, "retry") {
      guard let occasion = RequestTemplate.Occasion(rawValue: word) else {
        throw file.unknown(word, at: node, known: RequestTemplate.Occasion.allCases.map(\.rawValue))
      }
      list.append(occasion)
    }
    return list
  }

  // MARK: - Steps

  private func steps(_ node: SourceNode, _ key: String) throws(InputProblem) -> [FollowUpStep] {
    guard let sequence = node.elements else {
      throw InputProblem(node.place, "\(key) must be a list of steps, each beginning with a dash.")
    }
    var steps: [FollowUpStep] = []
    for entry in sequence { steps.append(try step(entry)) }
    return steps
  }

  private func step(_ node: SourceNode) throws(InputProblem) -> FollowUpStep {
    let known = ["startActivity", "updateActivity", "endActivity", "attributes", "contentState", "when"]
    var values: [String: SourceNode] = [:]
    for entry in try file.members(node, "a step", known: known) { values[entry.key] = entry.value }
    let condition = try values["when"].map { node throws(InputProblem) in try reference(node, "when") }
    func says(only keys: String...) -> Bool { values.keys.allSatisfy { $0 == "when" || keys.contains($0) } }
    if let value = values["startActivity"], says(only: "startActivity", "attributes", "contentState") {
      return FollowUpStep(
        .startActivity(
          type: try type(value), attributes: try json(values["attributes"]), content: try json(values["contentState"])),
        when: condition)
    }
    if let value = values["updateActivity"], let content = try json(values["contentState"]),
      says(only: "updateActivity", "contentState")
    {
      let field = try attribute(value, "updateActivity")
      return FollowUpStep(
        .updateActivity(attribute: field.name, value: field.value, content: content), when: condition)
    }
    guard let value = values["endActivity"], says(only: "endActivity") else {
      throw InputProblem(
        node.place,
        "a step is {startActivity: TYPE, attributes: …, contentState: …},"
          + " {updateActivity: {ATTRIBUTE: VALUE}, contentState: …} or {endActivity: {ATTRIBUTE: VALUE}},"
          + " either with or without when.")
    }
    let field = try attribute(value, "endActivity")
    return FollowUpStep(.endActivity(attribute: field.name, value: field.value), when: condition)
  }

  /// Which activities a step means.
  private func attribute(
    _ node: SourceNode, _ key: String
  ) throws(InputProblem) -> (name: String, value: Template) {
    guard let fields = node.pairs, fields.count == 1, let field = try self.fields(node, key).first else {
      throw InputProblem(
        node.place, "\(key) takes one attribute and its value, such as {matchId: \"{{arg.matchId}}\"}.")
    }
    return (field.name, field.value)
  }

  private func json(_ node: SourceNode?) throws(InputProblem) -> JSONTemplate? {
    guard let node else { return nil }
    return try file.saying(node) { () throws(TemplateProblem) in try JSONTemplate(node.json) }
  }

  private func type(_ node: SourceNode) throws(InputProblem) -> Int {
    let name = try file.scalar(node, "startActivity")
    guard let number = types.firstIndex(where: { $0.name == name }) else {
      throw file.unknown(name, at: node, known: types.map(\.name))
    }
    return number
  }
}
