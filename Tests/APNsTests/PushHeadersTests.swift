import Testing
import WireFormats

@testable import APNs

@Suite("A push's headers")
struct PushHeadersTests {
  static let names = [
    "apns-id", "apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id",
    "apns-request-id", "apns-channel-id", "authorization",
  ]

  @Test("each known header given twice is a duplicate, even with the same value", arguments: names)
  func duplicates(name: String) {
    let twice = HTTPRequest("POST", "/", fields: [(name: name, value: "1"), (name: name, value: "1")], body: [])
    #expect(PushHeaders(twice).hasDuplicate)
    let once = HTTPRequest("POST", "/", fields: [(name: name, value: "1")], body: [])
    #expect(!PushHeaders(once).hasDuplicate)
  }

  @Test("unknown headers may be repeated, and are not mistaken for known ones")
  func others() {
    let others = [
      "accept", "cookie", "x-apns-topic", "apns-topics", "apns-tipoc", "apns-xx", "authorisation", ":scheme",
    ]
    let request = HTTPRequest("POST", "/", fields: (others + others).map { (name: $0, value: "1") }, body: [])
    let headers = PushHeaders(request)
    #expect(!headers.hasDuplicate)
    #expect(headers.topic == nil && headers.id == nil && headers.authorization == nil)
  }

  @Test("S16: any order of headers is the same push")
  func anyOrder() throws {
    var gate = try Gate()
    var push = Push().with("apns-expiration", "0").with("apns-collapse-id", "score").with("user-agent", "curl")
    for _ in 0..<push.fields.count {
      push.fields.append(push.fields.removeFirst())
      #expect(gate.reason(push) == nil)
      let reversed = HTTPRequest(
        fields: HTTPFields(push.request.fields.list.reversed()), body: push.body)
      let verdict = gate.send(reversed)
      #expect(
        verdict.accepted?.collapseIDRange.map { String(decoding: reversed.storage[$0], as: UTF8.self) } == "score")
    }
  }

  @Test(
    "only /3/device/ is the path of a device",
    arguments: [
      ("/3/device/00ff", "00ff"), ("/3/device/", ""), ("/3/device/a/b", "a/b"), ("/3/device", nil),
      ("/3/Device/00", nil),
      ("/2/device/00", nil), ("3/device/00", nil), ("//3/device/00", nil), ("/", nil), ("", nil),
      ("/3/devices/00", nil),
      ("https://localhost/3/device/00", nil),
    ] as [(String, String?)])
  func paths(path: String, token: String?) {
    let request = HTTPRequest("POST", path, body: [])
    switch PushHeaders(request).path {
    case .device(let range): #expect(String(decoding: request.storage[range], as: UTF8.self) == token)
    case .unknown: #expect(token == nil)
    }
  }
}
