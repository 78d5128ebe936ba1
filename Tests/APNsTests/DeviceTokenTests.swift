import APNs
import Testing

@Suite("A device token")
struct DeviceTokenTests {
  @Test("a device token may have any size that was ever observed, and others", arguments: [2, 64, 108, 160, 200, 256])
  func sizes(digits: Int) throws {
    let text = String(String(repeating: "80f3", count: 64).prefix(digits))
    let token = try #require(DeviceToken(text))
    #expect(token.count == digits / 2)
    #expect(token.text == text)
  }

  @Test("S59: upper case is the same token, and is written in lower case")
  func upperCase() throws {
    let text = String(repeating: "aB0C", count: 16)
    let token = try #require(DeviceToken(text))
    #expect(token == DeviceToken(text.uppercased()) && token == DeviceToken(text.lowercased()))
    #expect(token.hashValue == DeviceToken(text.lowercased())?.hashValue)
    #expect(token.text == text.lowercased())
  }

  @Test(
    "a device token cannot be empty, of odd length, too long or not hexadecimal",
    arguments: ["", "0", "abc", String(repeating: "a", count: 258), "zz", "00ff/", "0x00", "00 1", "%30", "00é"])
  func noTokens(text: String) {
    #expect(DeviceToken(text) == nil)
  }

  @Test("tokens with other bytes or another size are different")
  func others() {
    let token = DeviceToken(bytes: [1, 2, 0])
    #expect(token != DeviceToken(bytes: [1, 2]))
    #expect(token != DeviceToken(bytes: [1, 2, 1]))
    #expect(token == DeviceToken("010200"))
  }

  @Test("a token in upper case reaches the same address, and a malformed token in the path is a bad token")
  func inThePath() throws {
    var gate = try Gate()
    var push = Push()
    push.path = "/3/device/" + Push.token.uppercased()
    #expect(gate.send(push).address == "activity")
    for path in [
      Push.token + "/", Push.token + "?x=1", "/" + Push.token, String(Push.token.dropLast()), Push.token + "00",
      "xyz", "%30%30", "aaaa", String(repeating: "0", count: 64), String(repeating: "0", count: 10_000),
    ] {
      push.path = "/3/device/" + path
      #expect(gate.reason(push) == .badDeviceToken, "\(path)")
    }
  }
}
