import Grammar
import Testing
import WireFormats

@Suite("A value that a user wrote")
struct SourceNodeTests {
  @Test("a value in JSON is named by its path from the root")
  func paths() throws {
    let node = SourceNode(["where": ["devices": ["d1", "d2"]]])
    let second = try #require(node["where"]?["devices"]?.elements?.last)
    #expect(second.place == "where.devices[1]" && second.text == "d2")
  }

  @Test("a number is not a text, but can be read as written")
  func spelling() {
    let node = SourceNode(26)
    #expect(node.text == nil && node.spelling == "26" && node.isScalar)
  }
}
