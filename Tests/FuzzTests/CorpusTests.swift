import Foundation
import Testing

@testable import FuzzTargets

/// Tests of the inputs that the fuzzers began with, and of everything that has broken a rule since.
@Suite("The fuzzers' corpus")
struct CorpusTests {
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Corpus").resolvingSymlinksInPath()
  /// Processor time of one input; the fuzzers allow as much to a build that is optimized.
  private static let limit = Duration.seconds(30)

  /// Every input, as `target/name`.
  private static let inputs: [String] = FuzzTarget.allCases.flatMap { target in
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: target.rawValue).path)
    return (names ?? []).filter { !$0.hasPrefix(".") }.sorted().map { "\(target.rawValue)/\($0)" }
  }

  @Test("every input of the corpus breaks no rule", arguments: inputs)
  func input(_ path: String) throws {
    let target = try #require(FuzzTarget(rawValue: String(path.prefix { $0 != "/" })))
    let bytes = try Data(contentsOf: Self.folder.appending(path: path))
    let began = Self.processorTime
    do throws(FuzzFinding) {
      try target.run(Array(bytes))
    } catch {
      Issue.record("Tests/Corpus/\(path): \(error)")
    }
    let taken = Self.processorTime - began
    #expect(taken < Self.limit, "Tests/Corpus/\(path) takes \(taken) of processor time")
  }

  @Test("the corpus has seeds for every target", arguments: FuzzTarget.allCases)
  func seeds(_ target: FuzzTarget) {
    #expect(Self.inputs.count { $0.hasPrefix(target.rawValue + "/") } >= 3)
  }

  @Test("the corpus is less than 500 KB in all")
  func size() throws {
    let sizes = try Self.inputs.map { try Data(contentsOf: Self.folder.appending(path: $0)).count }
    #expect(sizes.reduce(0, +) < 500_000)
  }

  @Test("the corpus has a valid provider token, so that its variants reach the later rules")
  func passes() throws {
    let bytes = try Data(contentsOf: Self.folder.appending(path: "token/raw-signature")).dropFirst()
    #expect(try TokenTarget.passes("bearer " + String(decoding: bytes, as: UTF8.self)))
    #expect(try !TokenTarget.passes("bearer " + String(decoding: bytes.dropLast(), as: UTF8.self)))
  }

  /// The tapes of what is pushed in the corpus; for a format of tapes that has changed.
  @Test("the corpus has current tapes", .enabled(if: ProcessInfo.processInfo.environment["PUSHPIT_NEW_TAPES"] != nil))
  func tapes() throws {
    for path in Self.inputs where path.hasPrefix("push/") || path.hasPrefix("admin/") {
      let bytes = Array(try Data(contentsOf: Self.folder.appending(path: path)))
      var town = Town()
      try town.settle()
      if path.hasPrefix("push/") {
        try PushTarget.play(bytes, in: &town)
      } else {
        try AdminTarget.play(bytes, in: &town)
      }
      let name = "tape/" + path.replacing("/", with: "-")
      try Data(try town.tape).write(to: Self.folder.appending(path: name))
    }
  }

  /// Of this thread.
  private static var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
