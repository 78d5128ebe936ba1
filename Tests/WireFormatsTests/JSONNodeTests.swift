import Testing
import WireFormats

@Suite("A place in a JSON document")
struct JSONNodeTests {
  private func read<Result>(_ text: String, _ body: (JSONNode) -> Result) throws -> Result {
    try JSONNode.read(Array(text.utf8), body)
  }

  @Test("a place in a document is read as its own type only")
  func tellsItsType() throws {
    try read(#"{"i":-5,"u":18446744073709551615,"d":2.5,"s":"5","b":true,"n":null,"a":[1],"o":{}}"#) { root in
      #expect(root.isObject && !root.isNumber && root.string == nil && root.integer == nil)
      #expect(root["i"]?.integer == -5 && root["i"]?.double == -5 && root["i"]?.isNumber == true)
      #expect(root["u"]?.integer == nil && root["u"]?.double == 18_446_744_073_709_551_616)
      #expect(root["d"]?.integer == nil && root["d"]?.double == 2.5 && root["d"]?.isNumber == true)
      #expect(root["s"]?.string == "5" && root["s"]?.integer == nil && root["s"]?.double == nil)
      for other in [root["b"], root["n"], root["a"]] {
        #expect(other?.string == nil && other?.double == nil && other?.isObject == false && other?.isNumber == false)
      }
      #expect(root["o"]?.isObject == true && root["missing"] == nil)
      #expect(root["a"]?["i"] == nil && root["s"]?["i"] == nil)
    }
  }

  @Test("a string is compared completely, with escapes resolved")
  func comparesStrings() throws {
    try read(#"{"a":"ES256","b":"ES25","c":"","d":"\u0045S256","e":5}"#) { root in
      #expect(root["a"]?.isString("ES256") == true && root["d"]?.isString("ES256") == true)
      #expect(root["a"]?.isString("es256") == false && root["b"]?.isString("ES256") == false)
      #expect(root["c"]?.isString("") == true && root["c"]?.isString("x") == false && root["a"]?.isString("") == false)
      #expect(root["e"]?.isString("5") == false)
    }
  }

  @Test("a document may be anywhere in the bytes, right up to their end")
  func readsARange() throws {
    let bytes = Array(#"xx{"aps":{"event":"end"}}yy"#.utf8)
    let event = try JSONNode.read(bytes.span, in: 2..<(bytes.count - 2)) { $0["aps"]?["event"]?.string }
    #expect(event == "end")
    #expect(throws: JSONProblem.self) { try JSONNode.read(bytes.span, in: 0..<bytes.count, \.whole) }
    #expect(throws: JSONProblem.self) { try JSONNode.read(bytes.span, in: 3..<3, \.whole) }
  }

  @Test("a long document between short ones affects neither")
  func readsAnySize() throws {
    let long = "[" + Array(repeating: #""0123456789""#, count: 20_000).joined(separator: ",") + "]"
    for _ in 0..<3 {
      #expect(try read("{\"a\":1}") { $0["a"]?.integer } == 1)
      #expect(try read(long) { $0.whole.elements?.count } == 20_000)
    }
  }

  @Test("an error in one document does not affect the next")
  func recovers() throws {
    #expect(throws: JSONProblem.self) { try self.read("{") { $0.whole } }
    #expect(try read("[]") { $0.whole } == .array([]))
  }

  @Test("a place keeps its document while others are read within, and reports when they are too many")
  func nested() throws {
    func open(_ depth: Int) throws -> Int {
      try read(#"{"depth":\#(depth),"text":"\#(String(repeating: "x", count: depth * 50))"}"#) { root in
        let below = (try? open(depth + 1)) ?? 0
        #expect(root["depth"]?.integer == Int64(depth))
        #expect(root["text"]?.string?.utf8.count == depth * 50)
        return below + 1
      }
    }
    for _ in 0..<3 { #expect(try open(1) == 8) }
    #expect(throws: JSONProblem.self) { try read("{]") { _ in } }
    // One that cannot be read is not open.
    for _ in 0..<20 { #expect(throws: JSONProblem.self) { try read("[1,") { _ in } } }
    #expect(try open(1) == 8)
  }
}
