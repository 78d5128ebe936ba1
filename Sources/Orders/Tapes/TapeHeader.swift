import Timeline
import WireFormats

/// The first record of a tape: the program that wrote it, and how its world was made.
///
/// JSON with named members, so that it can be extended without a new format; unknown members are ignored.
package struct TapeHeader: Hashable, Sendable {
  /// The version of the program that wrote it.
  package let program: String
  /// The time at which the world began.
  package let began: Instant
  /// The inputs of the world: texts of files and the like, which only the shell understands.
  package let sources: JSONValue

  package init(program: String, began: Instant, sources: JSONValue) {
    self.program = program
    self.began = began
    self.sources = sources
  }

  package var json: JSONValue {
    ["program": .string(program), "began": .integer(began.nanoseconds), "sources": sources]
  }

  init(_ text: [UInt8]) throws(TapeCorruption) {
    guard let value = try? JSONValue.parse(text), let program = value["program"]?.string,
      let began = value["began"]?.integer, let sources = value["sources"]
    else { throw .invalid("a header without program, began and sources") }
    guard Instant(nanoseconds: began) <= WorldClock.end else {
      throw .invalid("a world that begins after the end of the clock")
    }
    self.init(program: program, began: Instant(nanoseconds: began), sources: sources)
  }
}
