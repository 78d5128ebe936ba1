import Testing
import WireFormats

@testable import Devices

@Suite("What is ignored in the push of a Live Activity")
struct ActivityRemarkTests {
  private func remarks(_ event: String, _ member: String) throws -> [PayloadRemark] {
    let body = #"{"aps":{"timestamp":1790000000,"event":"\#(event)","content-state":{}\#(member)}}"#
    return try JSONNode.read(Array(body.utf8)) { PayloadRemarks(ofActivity: $0).list }
  }

  static let given: [(value: String, isDate: Bool, isLate: Bool)] = [
    ("1790000000", true, true), ("0", true, true), ("1", true, true), ("null", true, true), ("-5", true, true),
    ("\"1790000000\"", false, false), ("true", false, false), ("{}", false, false), ("[1]", false, false),
    ("1790000000000", false, false), ("1e400", false, false), ("-1e400", false, false), ("600", true, false),
    ("811692800", true, false),
  ]

  @Test("a date that is not a number, in milliseconds, counted from now or since 2001 has a remark", arguments: given)
  func dates(value: String, isDate: Bool, isLate: Bool) throws {
    #expect(
      try remarks("update", #","stale-date":\#(value)"#)
        == (!isDate ? [.staleDateValue] : isLate ? [] : [.staleDateEpoch]))
    #expect(
      try remarks("end", #","dismissal-date":\#(value)"#)
        == (!isDate ? [.dismissalDateValue] : isLate ? [] : [.dismissalDateEpoch]))
  }

  @Test(
    "is a member of another type, or in a wrong place",
    arguments: [
      ("update", #""relevance-score":"100""#, .relevanceType), ("update", #""relevance-score":{}"#, .relevanceType),
      ("update", #""relevance-score":-7.5"#, nil), ("update", #""relevance-score":null"#, nil),
      ("update", #""dismissal-date":1790000000"#, .dismissalDateIgnored), ("end", #""dismissal-date":1790000000"#, nil),
      ("start", #""dismissal-date":"soon""#, .dismissalDateIgnored), ("update", #""dismissal-date":null"#, nil),
      ("start", #""input-push-channel":7"#, .channelType), ("start", #""input-push-channel":null"#, nil),
      ("start", #""input-push-channel":"AAAA""#, nil), ("update", #""sound":"default""#, .soundBesideAlert),
      ("update", #""alert":{"title":"A","sound":7}"#, .soundType),
      ("update", #""alert":{"title":7}"#, .alertTextType), ("update", #""alert":"A""#, .alertType),
    ] as [(String, String, PayloadRemark?)])
  func others(event: String, member: String, remark: PayloadRemark?) throws {
    #expect(try remarks(event, "," + member) == [remark].compactMap(\.self))
  }

  @Test(
    "An alert that can alert has text, however it is written",
    arguments: [
      "{}", "7", "null", #""A""#, "[]", #"{"title":"A"}"#, #"{"title":""}"#, #"{"subtitle":"A"}"#, #"{"body":"A"}"#,
      #"{"title":7}"#, #"{"title":null,"body":7}"#, #"{"body":{"loc-key":"K"}}"#, #"{"body":{"loc-key":7}}"#,
      #"{"title":{}}"#, #"{"title":[],"body":{"loc-args":["A"]}}"#, #"{"sound":"default"}"#, #"{"title":true}"#,
    ])
  func alert(text: String) throws {
    try JSONNode.read(Array(text.utf8)) { node in
      var remarks = PayloadRemarks()
      let hasText = AlertContent(node, of: .liveActivity, noting: &remarks)?.hasText ?? false
      #expect(ActivityPayload.canAlert(node) == hasText)
    }
  }
}
