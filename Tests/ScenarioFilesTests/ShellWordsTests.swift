import ScenarioFiles
import Testing

@Suite("A command line as one text")
struct ShellWordsTests {
  @Test(
    "a command line is split as by a shell",
    arguments: [
      ("python3 server.py", ["python3", "server.py"]), ("  a   b  ", ["a", "b"]), ("", []), ("''", [""]),
      ("sh -c 'exit 3; true'", ["sh", "-c", "exit 3; true"]), (#"say "two words" more"#, ["say", "two words", "more"]),
      (#"a\ b c\\d"#, ["a b", #"c\d"#]), (#""\"q\" \n""#, [#""q" \n"#]), (#"pre'mid 'post"#, ["premid post"]),
      (#"'it'\''s'"#, ["it's"]), ("--port={{port}}", ["--port={{port}}"]),
    ])
  func split(text: String, words: [String]) throws {
    #expect(try ShellWords.split(text) == words)
  }

  @Test("a command line that ends within quotes is rejected", arguments: ["a 'b", "a \"b", "a \\"])
  func unfinished(text: String) {
    #expect(throws: ShellWords.Problem.self) { try ShellWords.split(text) }
  }

  @Test(
    "a command line is read back unchanged",
    arguments: [[], ["a"], ["", "two words", "it's", #"\"#, "a\"b", "$x", "*"]])
  func joined(words: [String]) throws {
    #expect(try ShellWords.split(ShellWords.join(words)) == words)
  }
}
