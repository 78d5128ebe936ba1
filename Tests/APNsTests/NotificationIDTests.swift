import APNs
import Testing

@Suite("A notification id")
struct NotificationIDTests {
  static let sound = "eabeae54-14a8-11e5-b60b-1697f925ec7b"

  @Test(
    "a notification id keeps upper and lower case as written",
    arguments: [sound, sound.uppercased(), "eabeAE54-14a8-11E5-b60b-1697f925ec7B"])
  func keepsCase(text: String) throws {
    #expect(try #require(NotificationID(text)).text == text)
  }

  @Test(
    "a notification id must be canonical",
    arguments: [
      "", "eabeae54", "eabeae5414a811e5b60b1697f925ec7b", "{\(sound)}", sound + "0", " " + sound.dropFirst(),
      "eabeae54-14a8-11e5-b60b-1697f925ec7", "eabeae541-4a8-11e5-b60b-1697f925ec7b",
      "gabeae54-14a8-11e5-b60b-1697f925ec7b", "eabeae54_14a8_11e5_b60b_1697f925ec7b", "urn:uuid:" + sound,
    ])
  func canonicalOnly(text: String) {
    #expect(NotificationID(text) == nil)
  }

  @Test("the server's own are upper case and need be no versioned UUIDs")
  func serverMade() {
    let id = NotificationID(bits: (0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210))
    #expect(id.text == "01234567-89AB-CDEF-FEDC-BA9876543210")
    #expect(NotificationID(bits: (0, 0)).text == "00000000-0000-0000-0000-000000000000")
    #expect(NotificationID(id.text) == id)
  }

  @Test("notification ids match in either case, but are not equal")
  func sameness() throws {
    let lower = try #require(NotificationID(Self.sound))
    let upper = try #require(NotificationID(Self.sound.uppercased()))
    let other = try #require(NotificationID("eabeae54-14a8-11e5-b60b-1697f925ec7c"))
    #expect(lower.isSame(as: upper) && lower != upper)
    #expect(!lower.isSame(as: other) && lower != other)
    #expect(Set([lower, upper, other, lower]).count == 3)
  }

  @Test("S17: a notification id comes back unchanged from accepted and rejected pushes, and is absent when invalid")
  func comesBack() throws {
    var gate = try Gate()
    let push = Push().with("apns-id", "eabeAE54-14a8-11E5-b60b-1697f925ec7B")
    #expect(gate.send(push).id?.text == "eabeAE54-14a8-11E5-b60b-1697f925ec7B")
    #expect(gate.send(push.with("apns-topic", nil)).id?.text == "eabeAE54-14a8-11E5-b60b-1697f925ec7B")
    var bare = push
    bare.authorization = ""
    #expect(gate.send(bare).id?.text == "eabeAE54-14a8-11E5-b60b-1697f925ec7B")
    #expect(gate.send(push.with("apns-id", "1")).id == nil)
    #expect(gate.reason(push.with("apns-id", "")) == .badMessageID)
    #expect(gate.send(push.with("apns-id", nil)).id == nil)
  }
}
