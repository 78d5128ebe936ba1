import Grammar
import Testing
import Timeline
import WireFormats

@Suite("A shape")
struct ShapeTests {
  private struct Visit: Equatable {
    var place = ""
    var length: Duration?
    var isQuiet = true
    /// Read from two members.
    var guests = 0
    var host: String?
  }

  private static let shape = Shape<Visit>(
    "Visit",
    members: [
      .needed("place", at: \.place, as: .text(wanted: "where it is"), "Its town."),
      .maybe("length", at: \.length, as: .duration),
      .usual("quiet", at: \.isQuiet, as: .truth, is: true, "Nobody sings."),
      .key("guests", as: .anyWhole) { (fields, visit) throws(InputProblem) in
        visit.host = try fields.text("host")
        visit.guests = Int(try fields.whole("guests") ?? 0)
        guard visit.host != nil || visit.guests == 0 else { throw fields.problem("host", "guests need a host.") }
      } write: {
        $0.guests == 0 ? Optional.none : JSONValue($0.guests)
      },
      .also("host", at: \.host, as: .text),
    ])

  private func read(_ json: JSONValue) throws(InputProblem) -> Visit {
    var visit = Visit()
    try Self.shape.read(Fields(SourceNode(json), "a visit", known: Self.shape.keys), into: &visit)
    return visit
  }

  @Test(
    "a shape writes what it reads",
    arguments: [
      ["place": "Rome"], ["place": "Rome", "length": "5s", "quiet": false],
      ["place": "Rome", "guests": 2, "host": "Ada"],
    ] as [JSONValue])
  func writes(json: JSONValue) throws {
    #expect(Self.shape.json(try read(json)) == json)
  }

  @Test("a shape leaves out what is usual, and reads it as such")
  func usual() throws {
    #expect(Self.shape.json(try read(["place": "Rome", "quiet": true])) == ["place": "Rome"])
    #expect(try read(["place": "Rome"]).isQuiet)
  }

  @Test(
    "a shape names the member that is missing or wrong",
    arguments: [
      ([:], "place", "place is required: where it is.", .missingKey),
      (["place": 7], "place", "place must be a string.", .wrongType),
      (["place": "Rome", "guests": 2], "host", "guests need a host.", .invalidValue),
    ] as [(JSONValue, String, String, InputProblem.Code)])
  func problems(json: JSONValue, field: String, sentence: String, code: InputProblem.Code) {
    #expect(throws: InputProblem(sentence, field: field, at: json[field] == nil ? "" : field, code: code)) {
      try read(json)
    }
  }

  @Test("a shape has a schema with its sentences and defaults")
  func schema() {
    var list: [(name: String, schema: JSONValue)] = []
    #expect(Self.shape.schema.json(&list) == ["$ref": "#/components/schemas/Visit"])
    #expect(list.first?.schema["required"] == ["place"])
    let members = list.first?.schema["properties"]
    #expect(members?["place"] == ["type": "string", "description": "Its town."])
    #expect(members?["quiet"] == ["type": "boolean", "default": true, "description": "Nobody sings."])
    #expect(Self.shape.type.keys == ["place", "length", "quiet", "guests", "host"])
    #expect(Self.shape.type.needed == ["place"])
  }

  @Test("a type with a name has the same schema for files, and further limits in the document")
  func named() {
    let type = ValueType.text().named("Town", "A town.", limits: ["pattern": "^[A-Z]"])
    #expect(type.schema(plain: false) == ["type": "string"])
    var list: [(name: String, schema: JSONValue)] = []
    #expect(Schema(type).json(&list) == ["$ref": "#/components/schemas/Town"])
    #expect(list.first?.schema == ["type": "string", "pattern": "^[A-Z]", "description": "A town."])
  }
}
