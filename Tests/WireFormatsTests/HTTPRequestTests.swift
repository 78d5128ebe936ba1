import Testing
import WireFormats

@Suite("A request")
struct HTTPRequestTests {
  @Test("a request is one sequence of bytes: fields, then the body")
  func oneRun() {
    let request = HTTPRequest("POST", "/3/device/00", fields: [(name: "apns-topic", value: "a.b")], body: "{}".utf8)
    #expect(request.fields.list.map(\.name) == [":method", ":path", "apns-topic"])
    #expect(request.fields[":method"] == "POST" && request.fields[":path"] == "/3/device/00")
    #expect(Array(request.body) == Array("{}".utf8) && request.bodyCount == 2)
    #expect(request == HTTPRequest(storage: request.storage, bodyStart: request.bodyStart))
  }

  @Test("a request may have no body, and a body may look like fields")
  func bodies() {
    let bare = HTTPRequest("GET", "/", body: [])
    #expect(bare.bodyCount == 0 && bare.body.isEmpty)
    let fields = HTTPFields([(name: "apns-topic", value: "smuggled")])
    let request = HTTPRequest("POST", "/", body: fields.packed)
    #expect(request.fields["apns-topic"] == nil)
    #expect(Array(request.body) == fields.packed)
  }
}
