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
    "A member of another type, or in a wrong place, is ignored with a remark",
    arguments: [
      ("update", #""relevance-score":"100""#, .relevanceType), ("update", #""relevance-score":{}"#, .relevanceType),
      ("update", #""relevance-score":-7.5"#, nil), ("update", #""relevance-score":null"#, nil),
      ("update", #""dismissal-date":1790000000"#, .dismissalDateIgnored), ("end", #""dismissal-date":1790000000"#, nil),
      ("start", #""dismissal-date":"soon""#, .dismissalDateIgnored), ("update", #""dismissal-date":null"#, nil),
      ("start", #""input-push-channel":7"#, .channelType), ("start", #""input-push-channel":null"#, nil),
      ("start", #""input-push-channel":"AAAA""#, nil), ("update", #""sound":"default""#, .soundBesideAlert),
      ("update", #""alert":{"title":"A","sound":7}"#, .soundType),
      ("update", #""alert":{"title":7}"#, .alertTextType), ("update", #""alert":"A""#, nil),
    ] as [(String, String, PayloadRemark?)])
  func others(event: String, member: String, remark: PayloadRemark?) throws {
    #expect(try remarks(event, "," + member) == [remark].compactMap(\.self))
  }

  static let alerts: [(alert: String, hasText: Bool)] = [
    ("{}", false), ("7", false), ("null", false), (#""A""#, false), ("[]", false), (#"{"title":"A"}"#, true),
    (#"{"title":""}"#, false), (#"{"title":"","body":""}"#, false), (#"{"title":"","body":"A"}"#, true),
    (#"{"subtitle":"A"}"#, true), (#"{"body":"A"}"#, true), (#"{"title":7}"#, false),
    (#"{"title":null,"body":7}"#, false), (#"{"body":{"loc-key":"K"}}"#, true), (#"{"body":{"loc-key":""}}"#, false),
    (#"{"body":{"loc-key":7}}"#, false), (#"{"title":{}}"#, false), (#"{"title":[],"body":{"loc-args":["A"]}}"#, false),
    (#"{"sound":"default"}"#, false), (#"{"title":true}"#, false), (#"{"title":{"loc-key":""},"body":"A"}"#, true),
  ]

  @Test("An alert alerts somebody exactly if it is a dictionary with text that is not empty", arguments: alerts)
  func alert(alert: String, hasText: Bool) throws {
    try JSONNode.read(Array(alert.utf8)) { node in
      #expect(ActivityPayload.canAlert(node) == hasText)
    }
  }
}
