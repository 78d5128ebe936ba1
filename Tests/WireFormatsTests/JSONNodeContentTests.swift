import Testing
import WireFormats

@Suite("A place in a JSON document, read without a copy")
struct JSONNodeContentTests {
  private func read<Result>(_ text: String, _ body: (JSONNode) -> Result) throws -> Result {
    try JSONNode.read(Array(text.utf8), body)
  }

  @Test("a place in a document has the type of its value")
  func kinds() throws {
    let kinds = try read(#"[null,true,1,18446744073709551615,1.5,"x",[],{}]"#) { $0.elements.map(\.kind) }
    #expect(kinds == [.null, .bool, .number, .number, .number, .string, .array, .object])
    try read(#"[null,false,true]"#) { root in
      #expect(root.elements.map(\.isNull) == [true, false, false])
      #expect(root.elements.map(\.bool) == [nil, false, true])
    }
  }

  @Test("a whole number is recognized in any notation")
  func wholeNumbers() throws {
    let text = #"[5,5.0,50e-1,5.5,-0,-0.0,1e3,9223372036854775807,9223372036854775808,9223372036854775808.0,"5",null]"#
    let numbers = try read(text) { $0.elements.map(\.wholeNumber) }
    #expect(numbers == [5, 5, 5, nil, 0, 0, 1000, .max, nil, nil, nil, nil])
  }

  @Test("a place in a document has its elements and members in order, including duplicates")
  func walks() throws {
    try read(#"{"a":[1,[2],{"x":3}],"b":{"k":1,"":2,"k":3},"c":[],"d":{},"e":"x"}"#) { root in
      #expect(root.members.map(\.name) == ["a", "b", "c", "d", "e"])
      #expect(root["a"]?.elements.map(\.whole) == [1, [2], ["x": 3]])
      #expect(root["b"]?.members.map(\.name) == ["k", "", "k"])
      #expect(root["b"]?.members.map(\.node.integer) == [1, 2, 3])
      #expect(root["a"]?.count == 3 && root["b"]?.count == 3 && root["c"]?.count == 0 && root["e"]?.count == 0)
      for name: JSONKey in ["c", "d", "e"] {
        let node = root.first(name)
        #expect(node?.elements.map(\.whole) == [] && node?.members.map(\.name) == [])
      }
      #expect(root.elements.map(\.whole) == [] && root["a"]?.members.map(\.name) == [])
    }
  }

  @Test("a place in a document finds the first member of a name, where the subscript finds the last")
  func first() throws {
    try read("{\"k\":1,\"kk\":2,\"k\":3,\"\":4,\"e\u{301}\":5,\"é\":6,\"ab\":7,\"axb\":8,\"ayb\":9}") { root in
      #expect(root.first("k")?.integer == 1 && root["k"]?.integer == 3)
      #expect(root.first("")?.integer == 4 && root.first("é")?.integer == 5)
      #expect(root.first("ab")?.integer == 7 && root.first("ayb")?.integer == 9)
      #expect(root.first("azb") == nil && root.first("K") == nil && root["kk"]?.first("k") == nil)
    }
  }

  @Test("a string's bytes have their escapes resolved")
  func bytes() throws {
    try read(#"["a\u00e9\n","",5]"#) { root in
      let found = root.elements.map { $0.withUTF8 { Array($0) } }
      #expect(found == [[0x61, 0xC3, 0xA9, 0x0A], [], nil])
      let keys = [JSONKey("aé\n"), JSONKey(""), JSONKey("5"), JSONKey("ae\u{301}\n")]
      let same = keys.map { key in key.withView { view in root.elements.map { $0.isString(view) } } }
      #expect(same == [[true, false, false], [false, true, false], [false, false, false], [true, false, false]])
    }
  }
}
