import Devices
import Testing
import WireFormats

@testable import Pushpit

@Suite("The payload that a connection parsed last")
struct LatestPayloadTests {
  private static func request(_ body: String, token: String = "00") -> HTTPRequest {
    HTTPRequest("POST", "/3/device/" + token, body: Array(body.utf8))
  }

  private static let update = #"{"aps":{"event":"update","timestamp":1,"content-state":{}}}"#

  @Test("the last payload is reused for the next push with equal bytes, also if its headers have another length")
  func sameBody() throws {
    var latest = LatestPayload()
    let readFirst = latest.read(Self.request(Self.update), app: 0, for: [nil])
    let first = try #require(readFirst)
    let again = latest.read(Self.request(Self.update, token: "0123456789"), app: 0, for: [nil])
    #expect(again === first)
  }

  @Test("the last payload is parsed again for another app, and for other bytes of the same length")
  func otherPush() throws {
    var latest = LatestPayload()
    let readFirst = latest.read(Self.request(Self.update), app: 0, for: [nil])
    let first = try #require(readFirst)
    let readSecond = latest.read(Self.request(Self.update), app: 1, for: [nil])
    let second = try #require(readSecond)
    #expect(second !== first)
    let later = Self.update.replacing("\"timestamp\":1", with: "\"timestamp\":2")
    let readThird = latest.read(Self.request(later), app: 1, for: [nil])
    let third = try #require(readThird)
    #expect(third != second)
    for _ in 0..<2 {
      let other = latest.read(Self.request("{}"), app: 1, for: [nil])
      #expect(other == nil)
    }
    let again = latest.read(Self.request(Self.update), app: 1, for: [nil])
    #expect(again == second)
  }
}
