import Timeline
import WireFormats

/// What a tape says before its first call: who wrote it, and how its world was made.
///
/// It is JSON with named members, so that it can grow without a new format; a member that is not known is passed over.
package struct TapeHeader: Hashable, Sendable {
  /// The version of the program that wrote it.
  package let program: String
  /// When the world began.
  package let began: Instant
  /// What the world was made from: texts of files and the like, which only the shell understands.
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
    else { throw .senseless("a header without program, began and sources") }
    guard Instant(nanoseconds: began) <= WorldClock.end else {
      throw .senseless("a world that begins after the end of its clock")
    }
    self.init(program: program, began: Instant(nanoseconds: began), sources: sources)
  }
}
