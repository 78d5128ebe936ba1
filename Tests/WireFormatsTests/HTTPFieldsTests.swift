import TestSupport
import Testing
import WireFormats

@Suite("Header fields")
struct HTTPFieldsTests {
  static let sound = [
    (name: ":path", value: "/3/device/00ff"), (name: "apns-topic", value: "com.example.app"),
    (name: "empty", value: ""),
  ]

  @Test("header fields keep their order, their repetitions and every byte")
  func keepOrder() {
    let fields = HTTPFields(Self.sound + [(name: "apns-topic", value: "again é")])
    #expect(fields.list.map(\.name) == [":path", "apns-topic", "empty", "apns-topic"])
    #expect(fields.list.map(\.value) == ["/3/device/00ff", "com.example.app", "", "again é"])
    #expect(fields["apns-topic"] == "com.example.app")
    #expect(fields["empty"] == "")
    #expect(fields["absent"] == nil)
    #expect(HTTPFields().list.isEmpty)
  }

  @Test("a field is two lengths of two bytes, little-endian, then name and value")
  func layout() {
    #expect(HTTPFields([(name: "ab", value: "xyz")]).packed == [2, 0, 3, 0] + Array("abxyz".utf8))
    let long = HTTPFields([(name: "n", value: String(repeating: "v", count: 0x1234))])
    #expect(Array(long.packed[..<5]) == [1, 0, 0x34, 0x12, 0x6E])
    #expect(long["n"]?.utf8.count == 0x1234)
  }

  @Test("a name or value that is too long is truncated, and the next ones are still read")
  func cutsTheEndless() {
    var fields = HTTPFields()
    fields.append(name: Array(repeating: 0x6E, count: 70_000), value: Array(repeating: 0x76, count: 70_000))
    fields.append("after", "it")
    #expect(fields.list.first?.name.utf8.count == HTTPFields.longest)
    #expect(fields.list.first?.value.utf8.count == HTTPFields.longest)
    #expect(fields["after"] == "it")
  }

  @Test("truncated bytes give only the complete fields")
  func cutAnywhere() {
    let packed = HTTPFields(Self.sound).packed
    for end in 0...packed.count {
      let names = HTTPFields(packed: Array(packed[..<end])).list.map(\.name)
      #expect(names == Array(Self.sound.map(\.name).prefix(names.count)), "cut at \(end)")
      #expect((names.count == Self.sound.count) == (end == packed.count), "cut at \(end)")
    }
  }

  @Test("the cursor shows the places of names and values, and stops where required")
  func cursor() {
    let bytes = HTTPFields(Self.sound).packed + Array("body".utf8)
    var cursor = HTTPFieldCursor()
    var names: [String] = []
    var values: [String] = []
    while let field = cursor.next(in: bytes.span, end: bytes.count - 4) {
      names.append(bytes.span.text(field.name))
      values.append(bytes.span.text(field.value))
    }
    #expect(names == Self.sound.map(\.name))
    #expect(values == Self.sound.map(\.value))
  }

  @Test("36 bytes of a value are overwritten in place, and nothing else changes")
  func replaces() {
    var fields = HTTPFields([(name: "id", value: String(repeating: "-", count: 36)), (name: "after", value: "it")])
    fields.replace(at: HTTPFields.prefix + 2, with: InlineArray<36, UInt8> { UInt8(0x41 + $0 % 26) })
    #expect(fields["id"] == "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJ")
    #expect(fields["after"] == "it" && fields.list.count == 2)
  }

  @Test("random fields are read back unchanged")
  func roundTrip() {
    for seed: UInt64 in 0..<200 {
      var dice = Dice(seed: seed)
      var fields = HTTPFields()
      var model: [([UInt8], [UInt8])] = []
      for _ in 0..<dice.below(20) {
        let name = dice.bytes(dice.below(30)).map { $0 & 0x3F | 0x40 }
        let value = dice.bytes(dice.below(600)).map { $0 & 0x3F | 0x40 }
        fields.append(name: name, value: value)
        model.append((name, value))
      }
      #expect(fields.list.map { Array($0.name.utf8) } == model.map(\.0), "seed \(seed)")
      #expect(fields.list.map { Array($0.value.utf8) } == model.map(\.1), "seed \(seed)")
    }
  }
}
