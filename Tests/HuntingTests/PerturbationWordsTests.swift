import Testing
import WireFormats

@testable import Hunting

@Suite("Perturbations as people would tell them")
struct PerturbationWordsTests {
  @Test(
    "a perturbation says what happens to which pushes or calls",
    arguments: [
      (["limit": 1, "then": ["loseAnswer": true]], "the answer to the first push is lost, and the push is delivered"),
      (
        ["when": ["event": "update", "skip": 2], "limit": 1, "then": ["abort": true]],
        "the connection of update push number 3 is aborted"
      ),
      (
        ["when": ["pushType": "alert"], "limit": 3, "then": ["answer": "TooManyRequests", "retryAfter": 1]],
        "each of 3 alert pushes gets TooManyRequests with Retry-After: 1"
      ),
      (
        ["odds": "20%", "limit": 1, "then": ["delay": "2s"]],
        "the answer to a push (by chance, 20%) comes after 2s"
      ),
      (
        ["when": ["event": "deviceToken"], "limit": 2, "then": ["calls": "double"]],
        "each of 2 deviceToken calls of an app is made twice"
      ),
      (
        ["limit": 1, "then": ["answer": "Unregistered", "age": "30d"]],
        "the first push gets Unregistered, for a token that died 30d ago"
      ),
      (["then": ["lose": true]], "each push is answered 200 and never reaches its phone"),
      (
        ["limit": 1, "then": ["malformed": "<html>", "status": 503]],
        "the first push is lost and gets 503 with a body that APNs never sends"
      ), (["limit": 1, "then": ["arrival": ["delay": "300ms"]]], "the first push is accepted and arrives 300ms later"),
    ] as [(JSONValue, String)])
  func words(entry: JSONValue, words: String) {
    #expect(Perturbation(.faults, entry["then"]?.members?.first?.key ?? "", entry: entry).words == words)
  }

  @Test("a variant of a test keeps the perturbations that strike no more often together than its backend can bear")
  func few() {
    func answers(_ limit: Int64, waits: Bool = false) -> Perturbation {
      .fault(
        waits ? ["answer": "TooManyRequests", "retryAfter": 1] : ["answer": "TooManyRequests"],
        [.init("limit", .integer(limit))])
    }
    #expect(Perturbation.few([answers(3), answers(2), answers(1)], strikes: 4) == [answers(3), answers(1)])
    #expect(Perturbation.few([answers(2, waits: true), answers(1)], strikes: 4) == [answers(2, waits: true)])
  }
}
