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

  @Test("is taken for the next push with the same bytes, also if its headers have another length")
  func sameBody() throws {
    var latest = LatestPayload()
    let first = try #require(latest.read(Self.request(Self.update), app: 0, for: [nil]))
    #expect(latest.read(Self.request(Self.update, token: "0123456789"), app: 0, for: [nil]) === first)
  }

  @Test("is parsed again for another app, and for other bytes of the same length")
  func otherPush() throws {
    var latest = LatestPayload()
    let first = try #require(latest.read(Self.request(Self.update), app: 0, for: [nil]))
    let second = try #require(latest.read(Self.request(Self.update), app: 1, for: [nil]))
    #expect(second !== first)
    let later = Self.update.replacing("\"timestamp\":1", with: "\"timestamp\":2")
    let third = try #require(latest.read(Self.request(later), app: 1, for: [nil]))
    #expect(third != second)
    #expect(latest.read(Self.request("{}"), app: 1, for: [nil]) == nil)
    #expect(latest.read(Self.request("{}"), app: 1, for: [nil]) == nil)
    #expect(try #require(latest.read(Self.request(Self.update), app: 1, for: [nil])) == second)
  }
}
