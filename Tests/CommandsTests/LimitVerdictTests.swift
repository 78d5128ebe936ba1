import Foundation
import Testing
import Transport

@testable import ClientCommands

@Suite("What limited a load run")
struct LimitVerdictTests {
  /// A run at full speed in which nothing was at its limit.
  private static func verdict(_ change: (inout LimitVerdict.Numbers) -> Void) -> LimitVerdict {
    var numbers = LimitVerdict.Numbers()
    numbers.seconds = 10
    numbers.answered = 100_000
    numbers.connections = 8
    numbers.threads = 1
    numbers.own = 0.4
    numbers.server = 0.6
    numbers.serverLoops = 2
    numbers.machine = 1.1
    numbers.processors = 4
    numbers.fullShare = 0.5
    change(&numbers)
    return LimitVerdict(numbers)
  }

  @Test("a rate was held if at most 1 % of its pushes were late")
  func rate() {
    let held = Self.verdict {
      $0.askedRate = SendingRate(5000)
      $0.late = 1000
    }
    #expect(held.limit == .rate && held.sentence.contains("5,000 a second was reached"))
    let missed = Self.verdict {
      $0.askedRate = SendingRate(5000)
      $0.late = 1001
      $0.own = 0.9
    }
    #expect(missed.limit == .ownProcessor)
  }

  @Test("a run that was aborted has no limit")
  func aborted() {
    let aborted = Self.verdict {
      $0.askedRate = SendingRate(5000)
      $0.isAborted = true
    }
    #expect(aborted.limit == .unknown && aborted.sentence == "Unknown, because the run was aborted.")
  }

  @Test("this program was the limit if its threads had no processor time left")
  func own() {
    #expect(Self.verdict { $0.own = 0.85 }.limit == .ownProcessor)
    #expect(Self.verdict { ($0.own, $0.threads) = (0.85, 2) }.limit == .unknown)
    let sentence = Self.verdict { ($0.own, $0.threads) = (1.9, 2) }.sentence
    #expect(sentence.contains("used 1.90 processors with 2 threads"))
  }

  @Test("the server was the limit if the threads that the connections can reach were busy")
  func server() {
    #expect(Self.verdict { $0.server = 1.7 }.limit == .serverProcessor)
    #expect(Self.verdict { $0.server = 0.9 }.limit == .unknown)
    #expect(Self.verdict { ($0.server, $0.connections) = (0.9, 1) }.limit == .serverProcessor)
    #expect(Self.verdict { ($0.server, $0.serverLoops) = (nil, nil) }.limit == .unknown)
  }

  @Test("the machine was the limit if other programs had the rest of its processors")
  func machine() {
    let verdict = Self.verdict { $0.machine = 3.6 }
    #expect(verdict.limit == .machine && verdict.sentence.contains("other programs 2.60"))
    #expect(Self.verdict { $0.machine = nil }.limit == .unknown)
  }

  @Test("flow control comes before streams, and both only if processors were idle")
  func waiting() {
    #expect(Self.verdict { $0.fullShare = 0.9 }.limit == .streams)
    #expect(Self.verdict { ($0.fullShare, $0.blockedShare) = (0.9, 0.5) }.limit == .flowControl)
    #expect(Self.verdict { ($0.fullShare, $0.own) = (1, 0.99) }.limit == .ownProcessor)
  }

  @Test("many answers of 429 come before everything else")
  func throttling() {
    let verdict = Self.verdict { ($0.throttled, $0.askedRate, $0.own) = (5000, SendingRate(100), 1) }
    #expect(verdict.limit == .throttling && verdict.sentence.hasPrefix("5.0 % of the answers were 429"))
    #expect(Self.verdict { $0.throttled = 4999 }.limit == .unknown)
  }

  @Test("answers of 429 by a fault are not APNs's limit, and the sentence counts them")
  func faults() {
    let fault = Self.verdict { ($0.throttled, $0.throttledByFaults, $0.own) = (9000, 9000, 1) }
    #expect(fault.limit == .ownProcessor)
    #expect(fault.sentence.hasSuffix("Faults, not a limit of APNs, were the cause of 9,000 of 9,000 answers of 429."))
    #expect(Self.verdict { ($0.throttled, $0.throttledByFaults) = (9000, 4001) }.limit == .unknown)
    let both = Self.verdict { ($0.throttled, $0.throttledByFaults) = (9000, 4000) }
    #expect(both.limit == .throttling && both.sentence.contains("--token-requests-per-second. Faults"))
    #expect(both.sentence.contains("4,000 of 9,000") && both.sentence.components(separatedBy: "Faults").count == 2)
  }

  @Test("broadcasts that are throttled are limited by their channel")
  func broadcasts() {
    let verdict = Self.verdict { ($0.throttled, $0.isBroadcast) = (5000, true) }
    #expect(verdict.sentence.contains("rules.broadcastRate") && !verdict.sentence.contains("one token"))
  }

  @Test("a run that is too short, or without an answer, is not judged")
  func short() {
    #expect(Self.verdict { ($0.seconds, $0.own) = (0.49, 1) }.limit == .tooShort)
    let none = Self.verdict { $0.answered = 0 }
    #expect(none.limit == .unknown && none.sentence == "No push was answered.")
  }

  @Test("numbers are written as people read them")
  func words() {
    #expect(LoadWords.grouped(1_234_567) == "1,234,567" && LoadWords.grouped(999) == "999")
    #expect(LoadWords.decimal(0.996, 2) == "1.00" && LoadWords.decimal(3.04, 1) == "3.0")
    #expect(LoadWords.milliseconds(421_000) == "0.42 ms" && LoadWords.milliseconds(1_234_567_890) == "1,235 ms")
    #expect(LoadWords.percent(0.9996) == "99.9 %" && LoadWords.percent(1) == "100 %")
    #expect(LoadWords.rate(SendingRate(100, to: 5000)) == "100 to 5,000 a second")
    #expect(LoadWords.rate(SendingRate(0, to: 5)) == "0 to 5.00 a second")
    #expect(LoadWords.rate(0.5) == "0.50 a second" && LoadWords.count(1, "token") == "1 token")
  }
}
