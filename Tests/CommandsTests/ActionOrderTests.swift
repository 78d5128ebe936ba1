import Grammar
import Testing
import WireFormats

@testable import ClientCommands

@Suite("Actions on the command line")
struct ActionOrderTests {
  private static func body(_ order: ActionOrder, from cursor: String? = nil) -> String {
    String(decoding: order.order(from: cursor).body, as: UTF8.self)
  }

  @Test(
    "details get the types of the grammar of actions",
    arguments: [
      ("permit", ["notifications=denied"], #"{"do":"permit","notifications":"denied"}"#),
      ("switch", ["what=focus", "on=true"], #"{"do":"switch","what":"focus","on":true}"#),
      ("updateSystem", ["os=27"], #"{"do":"updateSystem","os":"27"}"#),
      ("setClock", ["ahead=-90m"], #"{"do":"setClock","ahead":"-90m"}"#),
      ("tapNotification", ["notification=3"], #"{"do":"tapNotification","notification":3}"#),
      ("use", ["action=a=b", #"arguments={"x":"1"}"#], #"{"do":"use","action":"a=b","arguments":{"x":"1"}}"#),
      // The server says what is wrong with these.
      ("switch", ["on=yes"], #"{"do":"switch","on":"yes"}"#), ("lock", ["nonsense="], #"{"do":"lock","nonsense":""}"#),
    ])
  func typed(action: String, details: [String], body: String) throws {
    let order = try ActionOrder(action, on: "d0", details: details)
    #expect(order.isForOne && Self.body(order) == body)
  }

  @Test(
    "a detail that is not KEY=VALUE, repeats a key or is not JSON is rejected",
    arguments: [
      (["denied"], "KEY=VALUE"), (["=denied"], "KEY=VALUE"), (["app=a", "app=b"], "app is given twice"),
      (["do=lock"], "do is given twice"), (["contentState=x"], "contentState must be JSON"),
    ])
  func wrong(details: [String], says: String) {
    let error = #expect(throws: InputProblem.self) { try ActionOrder("permit", on: "d0", details: details) }
    #expect(error?.sentence.contains(says) == true)
  }

  @Test("several devices, all of them and conditions become a selection, which continues at a cursor")
  func many() throws {
    let two = try ActionOrder("lock", on: "d0,d3", details: [])
    #expect(Self.body(two) == #"{"do":"lock","where":{"devices":["d0","d3"]}}"#)
    var all = try ActionOrder("goOffline", on: "all", details: [])
    #expect(Self.body(all) == #"{"do":"goOffline","where":{}}"#)
    all.conditions = [("os", "26"), ("online", "true"), ("share", "10%")]
    #expect(
      Self.body(all, from: "9")
        == #"{"do":"goOffline","where":{"os":"26","online":true,"share":"10%"},"cursor":"9"}"#)
  }

  @Test("the report adds up the answers, and has the first rejection")
  func report() throws {
    var report = ActionReport()
    #expect(report.isNone && report.lines == ["No device matches."])
    for text in [
      #"{"done": 2, "refused": 0, "firstRefusal": null}"#,
      #"{"done": 1, "refused": 1, "firstRefusal": {"device": "d3", "sentence": "d3 is locked."}}"#,
    ] {
      report.add(try JSONValue.parse(Array(text.utf8)))
    }
    #expect(report.lines == ["Done on 3 devices.", "Rejected by 1 device. The first, d3: d3 is locked."])
  }
}
