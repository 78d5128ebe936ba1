import Grammar
import Testing
import WireFormats

@testable import RunCommands

@Suite("Two runs compared")
struct RunComparisonTests {
  private static func load(
    kind: String = "notification", rate: Double = 1000, p99: Double = 5, rejected: Int = 0, connections: Int = 4
  ) -> [UInt8] {
    let text = """
      {"format":1,"kind":"\(kind)","asked":{"connections":\(connections)},"answered":1000,"perSecond":\(rate),
       "rejected":\(rejected),"unanswered":[],"latencyMilliseconds":{"min":1,"p50":2,"p90":3,"p99":\(p99),"p99.9":9,
       "max":10}}
      """
    return Array(text.utf8)
  }

  private static func report(findings: Int, isVirtual: Bool = false) -> [UInt8] {
    let text = """
      {"format":1,"run":{"command":"serve","virtual":\(isVirtual)},
       "pushes":{"total":100,"accepted":90,"perSecond":null},
       "latency":{"apnsToScreen":{"count":0},"eventToScreen":{"p50":0.1,"p99":0.25}},
       "findings":[{"kind":"duplicate","count":\(findings)}]}
      """
    return Array(text.utf8)
  }

  private static func compare(_ before: [UInt8], _ after: [UInt8]) throws -> RunComparison {
    try RunComparison(("a.json", before), ("b.json", after))
  }

  private static func problem(_ before: [UInt8], _ after: [UInt8]) -> String? {
    do throws(InputProblem) {
      _ = try RunComparison(("a.json", before), ("b.json", after))
      return nil
    } catch {
      return error.description
    }
  }

  @Test("each number has its ratio, and those that got worse by more than a tenth are named")
  func worse() throws {
    let text = try Self.compare(Self.load(), Self.load(rate: 800, p99: 10, rejected: 5)).text
    #expect(text.contains(/answers a second +1,000 +800 +0\.80 +worse/))
    #expect(text.contains(/p99 +5\.00 ms +10\.0 ms +2\.00 +worse/))
    #expect(text.contains(/p50 +2\.00 ms +2\.00 ms +1\.00\n/))
    #expect(text.contains(/rejected +0\.0 % +0\.5 % +worse/))
    #expect(text.hasSuffix("\nWorse by more than 10 %: answers a second, p99 and rejected."))
  }

  @Test("a change of a tenth is noise, and a better number is no worse one")
  func same() throws {
    let text = try Self.compare(Self.load(rejected: 9), Self.load(rate: 901, p99: 4)).text
    #expect(text.hasSuffix("\nNothing got worse by more than 10 %."))
    #expect(text.contains(/p99 .* 0\.80 +better/))
  }

  @Test("runs that were asked for different things are compared with a note")
  func asked() throws {
    let text = try Self.compare(Self.load(), Self.load(connections: 8)).text
    #expect(text.contains("\nThe runs were started with different connections (4 and 8).\n"))
  }

  @Test("reports are compared by their latencies and findings")
  func reports() throws {
    let comparison = try Self.compare(Self.report(findings: 2), Self.report(findings: 5))
    #expect(comparison.text.contains(/finding duplicate +2 +5 +2\.50 +worse/))
    #expect(comparison.text.contains(/event to screen p99 +250 ms +250 ms +1\.00\n/))
    #expect(!comparison.text.contains("APNs to screen"), "neither run has them")
    let value = try JSONValue.parse(Array(comparison.json.utf8))
    let finding = value["numbers"]?.elements?.last
    #expect(finding?["name"] == "finding duplicate" && finding?["ratio"]?.number == 2.5)
  }

  @Test("runs of different kinds are not compared")
  func mixed() throws {
    let kinds = try #require(Self.problem(Self.load(), Self.load(kind: "broadcast")))
    #expect(kinds.contains("load of kind notification") && kinds.contains("only runs of one kind"))
    #expect(try #require(Self.problem(Self.load(), Self.report(findings: 0))).contains("b.json the report of a run"))
    let virtual = Self.problem(Self.report(findings: 0), Self.report(findings: 0, isVirtual: true))
    #expect(try #require(virtual).contains("virtual time"))
  }

  @Test("a file of another kind is rejected with the command that makes a report")
  func noReport() throws {
    for text in ["", "nonsense", "[]", "{}", "3", #"{"format":2,"kind":"notification"}"#, #"{"format":1,"kind":"x"}"#] {
      let sentence = try #require(Self.problem(Self.load(), Array(text.utf8)), "\(text)")
      #expect(sentence.hasPrefix("b.json is ") && sentence.contains("`pushpit load --json`"), "\(sentence)")
    }
  }
}
