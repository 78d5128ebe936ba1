import APNs
import Testing

@Suite("A device's id")
struct DeviceIDTests {
  @Test("a device's id is written d and its number, and only that form is read")
  func text() {
    for number: UInt32 in [0, 7, 17, 4_294_967_295] { #expect(DeviceID(DeviceID(number).text) == DeviceID(number)) }
    #expect(DeviceID("d17")?.number == 17)
    for text in ["", "d", "17", "D17", "d017", "d+17", "d-1", "d4294967296", "d17 ", "d1.5", "x17"] {
      #expect(DeviceID(text) == nil, "\(text)")
    }
    #expect(DeviceID(9) < DeviceID(10))
  }

  @Test("the published pattern of ids is that of the reader, up to nine digits")
  func pattern() throws {
    let pattern = try Regex(DeviceID.pattern)
    for text in ["d0", "d7", "d17", "d999999999", "", "d", "17", "D17", "d017", "d+17", "d-1", "d17 ", "d1.5", "x17"] {
      #expect((text.wholeMatch(of: pattern) != nil) == (DeviceID(text) != nil), "\(text)")
    }
  }
}
