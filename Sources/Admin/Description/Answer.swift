import Grammar
import WireFormats

/// The description of an answer of a route.
struct Answer: Sendable {
  /// Content of one type.
  struct Content: Sendable {
    let type: String
    let schema: Schema

    static func json(_ schema: Schema) -> Content { Content(type: "application/json", schema: schema) }
    static func text(_ type: String = "text/plain") -> Content { Content(type: type, schema: .string) }
  }

  let status: Int
  /// Nil for an answer that only one route has.
  private let name: String?
  private let meaning: String
  private let content: [Content]
  private let example: JSONValue?

  init(_ status: Int, _ meaning: String, as content: [Content], named name: String? = nil, example: JSONValue? = nil) {
    self.status = status
    self.meaning = meaning
    self.content = content
    self.name = name
    self.example = example
  }

  static func json(_ meaning: String, _ schema: Schema, example: JSONValue? = nil) -> Answer {
    Answer(200, meaning, as: [.json(schema)], example: example)
  }

  static func created(_ meaning: String, _ schema: Schema) -> Answer { Answer(201, meaning, as: [.json(schema)]) }

  /// An error in the one format of all errors.
  static func error(
    _ status: Int, _ meaning: String, named name: String? = nil, example: JSONValue? = nil
  ) -> Answer { Answer(status, meaning, as: [.json(AdminProblem.shape.schema)], named: name, example: example) }

  /// The answer as JSON, or a reference to one of those that routes share.
  func json(_ document: inout OpenAPIDocument) -> JSONValue {
    var types: [JSONValue.Member] = []
    for part in content {
      var members: [JSONValue.Member] = [.init("schema", part.schema.json(&document.schemas))]
      if let example, part.type == content.first?.type { members.append(.init("example", example)) }
      types.append(.init(part.type, .object(members)))
    }
    let value: JSONValue = ["description": .string(meaning), "content": .object(types)]
    guard let name else { return value }
    if !document.answers.contains(where: { $0.key == name }) { document.answers.append(.init(name, value)) }
    return ["$ref": .string("#/components/responses/\(name)")]
  }

  // MARK: - Shared answers

  static let badRequest = error(
    400,
    """
    The request is invalid: a missing Host header, an unknown or invalid parameter, invalid percent-encoding in
    the path, or a body that is missing or not JSON.
    """, named: "BadRequest",
    example: ["error": "limit must be a whole number from 1 to 1000.", "code": "invalid_value", "field": "limit"])
  static let forbidden = error(
    403,
    """
    The Host header names a host that is not this server, or Origin another server than Host, for example because
    another site's web page sent the request.
    """, named: "Forbidden")
  static let notFound = error(
    404, "Nothing with that name exists.", named: "NotFound",
    example: [
      "error": "There is no device \"d2000\"; this fleet has d0 to d999.", "code": "not_found", "field": "id",
    ])
  static let conflict = error(
    409, "It already exists, or conflicts with existing data; nothing was changed.", named: "Conflict")
  static let forgotten = error(
    410, "The session was closed and has been dropped, because too many others were closed since.", named: "Forgotten")
  static let tooLarge = error(413, "The body is too large.", named: "TooLarge")
  static let notJSON = error(415, "The content type is not JSON.", named: "NotJSON")
  static let notPossible = error(
    422, "The order is valid but not possible in the current state; nothing was changed.", named: "NotPossible",
    example: [
      "error": "com.example.app is installed on d3; uninstall it first.", "code": "conflict", "field": "do",
    ])
  static let folderFailed = error(
    500,
    """
    A file of the state folder cannot be read or written, for example because the disk is full or its list is damaged;
    the sentence names it. Nothing was changed.
    """, named: "FolderFailed")
  static let noFolder = error(
    501, "The server has no state folder, so its keys and certificates cannot be changed.", named: "NoFolder")
  static let busy = error(
    503,
    """
    Another program holds the lock of the state folder, for longer than 2 seconds, or too many requests already wait
    for files, or the server is stopping. Nothing was changed; the same request may succeed later.
    """, named: "Busy")
  static let tooManyViewers = error(
    503, "16 clients already read events or tokens.",
    example: ["error": "16 clients already read a stream of events or tokens.", "code": "too_many_viewers"])
  static let deleted = Answer(
    200, "It is deleted; a key or a certificate is revoked.",
    as: [.json(.object([.init("deleted", deletedNames)]))], named: "Deleted", example: ["deleted": ["busy"]])
  static let deletedNames = Schema.list(of: .string).named(
    "DeletedNames", "The names, ids or fingerprints of what is deleted. Faults of two sessions may have the same name.")
}
