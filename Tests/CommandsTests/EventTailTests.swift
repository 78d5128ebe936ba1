import Testing

@testable import ClientCommands

@Suite("Lines of pushpit tail")
struct EventTailTests {
  private func messages(_ text: String, in pieces: Int) -> [EventStreamReader.Message] {
    var reader = EventStreamReader()
    let bytes = Array(text.utf8)
    return stride(from: 0, to: bytes.count, by: pieces).flatMap {
      reader.read(bytes[$0..<min($0 + pieces, bytes.count)])
    }
  }

  @Test("messages are read whatever the pieces in which their bytes come", arguments: [1, 2, 7, 1000])
  func pieces(_ size: Int) {
    let text =
      "retry: 1000\n\n:\n\nevent: push\nid: 7\ndata: {\"a\":1}\n\nevent: fate\r\nid: 8\r\ndata: x\r\ndata: y\r\n\r\n"
    let found = messages(text, in: size)
    #expect(found.map(\.event) == ["push", "fate"])
    #expect(found.map(\.id) == ["7", "8"])
    #expect(found.map(\.data) == ["{\"a\":1}", "x\ny"])
  }

  @Test("a message that is not complete is not reported")
  func incomplete() {
    #expect(messages("event: push\ndata: {}\n", in: 3).isEmpty)
  }

  private let push = """
    {"type":"push","sequence":1,"at":"2026-11-23T00:55:56.909Z","device":"d0","app":"com.example.app","pushType":"alert",\
    "priority":10,"event":null,"heading":"Hi\\u001b[31m there","status":410,"reason":"Unregistered","fate":"Refused by APNs",\
    "outcome":null}
    """

  private func message(_ event: String, _ data: String) -> EventStreamReader.Message {
    var message = EventStreamReader.Message()
    message.event = event
    message.data = data
    return message
  }

  @Test("a push is one line, in which a payload cannot control the terminal")
  func pushLine() {
    let lines = EventLines.write(message("push", push))
    #expect(
      lines == [
        "00:55:56.909  d0     com.example.app  alert, priority 10: 410 Unregistered, Refused by APNs  Hi\\u{1b}[31m there"
      ])
  }

  @Test("a rejected push has its explanation in place of its heading")
  func rejection() {
    let told = push.replacing(#""sequence":1"#, with: #""sentence":"It is base64.","sequence":1"#)
    #expect(
      EventLines.write(message("push", told)).first?.hasSuffix("410 Unregistered, Refused by APNs  It is base64.")
        == true)
  }

  @Test("many events are their count and the last of them")
  func many() {
    let data = #"{"count":300,"pushes":300,"last":[\#(push)]}"#
    #expect(EventLines.write(message("many", data)).first == "… 299 more events")
    let json = EventLines.writeJSON(message("many", data))
    #expect(json.first == #"{"type":"skipped","count":299}"# && json.count == 2)
  }

  @Test("a gap prints what is missing, and a restart that it was one")
  func gap() {
    #expect(
      EventLines.write(message("gap", #"{"from":2,"to":40,"restarted":false}"#)) == [
        "… the events 2 to 40 are no longer kept"
      ])
    #expect(
      EventLines.write(message("gap", #"{"from":0,"to":4,"restarted":true}"#)) == ["… the server was started again"])
  }
}
