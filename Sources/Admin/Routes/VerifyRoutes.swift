import Devices
import Grammar
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Expectations about the ledger, for a client that waits until they are met.
package struct LedgerWait: Sendable {
  fileprivate var check: LedgerCheck
  /// The longest time that the client waits, by a clock of the machine.
  package let within: Duration
}

/// Evaluates expectations about the ledger.
enum VerifyRoutes {
  static let routes: [Route] = [
    Route(
      "POST /v1/verify", id: "verify", tag: .ledger,
      summary: "evaluate expectations over the ledger, and wait for them", answer: verify
    )
    .meaning(
      """
      The expectations of scenario files, over all that the ledger keeps. With `within`, the answer is sent as
      soon as all pass, or when that time is over; it is time of the machine, not of the world. Expectations
      about findings, connections and broadcasts, and times of their own (`at`, `within`), are rejected: a
      session or a scenario has them.
      """
    )
    .body(
      .verification,
      examples: [
        .init(
          "accepted", "A push to a phone that was accepted",
          value: ["expect": [["pushes": ["devices": ["d3"], "status": 200], "count": 1]], "within": "2s"]
        )
      ]
    )
    .answers(
      .json("Whether all passed, and each result.", shape.schema),
      .error(
        503, "Half of the connections that may be open, usually 64, already wait for expectations.",
        example: [
          "error":
            "64 clients already wait for expectations, the most at once; ask again later, or leave within out.",
          "code": "too_many_waiting",
        ]))
  ]

  private static let shape = Shape<(passed: Bool, verdicts: [Verdict])>(members: [
    .init("passed", .truth) { .bool($0.passed) }, .list("expectations", of: Verdict.shape) { $0.verdicts },
  ])

  /// A client that waits longer asks again.
  private static let longest: Duration = .seconds(300)

  static func verify(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let now = simulator.now(wall: context.wall).world
    let apps = simulator.readers.sessions.apps
    return .unlocked { [context] () throws(AdminProblem) in
      let (expectations, within, after) = try read(context)
      let observer = Observer(expectations, apps: apps, began: now)
      return .reading { readers in
        let check = LedgerCheck(observer, after: after, readers.logs)
        return readOn(LedgerWait(check: check, within: within), isLast: within == .zero)
      }
    }
  }

  private static func read(
    _ context: AdminContext
  ) throws(AdminProblem) -> (expectations: [Expectation], within: Duration, after: UInt64?) {
    let read = context.readExpectation
    return try context.read(RequestBody.verification) { fields throws(InputProblem) in
      guard let value = fields.json("expect"), !(value.elements ?? []).isEmpty else {
        throw InputProblem("expect must be a list of expectations, as in scenario files.", field: "expect")
      }
      let expectations = try SessionDraft.expectations(value, read)
      for (number, expectation) in expectations.enumerated() { try refuse(expectation, "expect[\(number)]") }
      let within = try fields.duration("within") ?? .zero
      guard within >= .zero, within <= longest else {
        throw InputProblem("within must be a duration of at most \(DurationText.write(longest)).", field: "within")
      }
      return (expectations, within, try fields.whole("after").map { UInt64(clamping: $0) })
    }
  }

  /// Rejects an expectation that the ledger cannot decide afterwards.
  private static func refuse(_ expectation: Expectation, _ place: String) throws(InputProblem) {
    func problem(_ sentence: String) -> InputProblem {
      InputProblem("\(place): \(sentence)", field: "expect", at: place)
    }
    if expectation.window != nil {
      throw problem("within belongs beside expect: it is how long to wait for all of them.")
    }
    if case .findings = expectation.question {
      throw problem(
        "findings are collected while pushes arrive; see GET /v1/findings, or give the expectation to a session.")
    }
    if case .broadcasts = expectation.question {
      throw problem(
        "broadcasts are not in the ledger of pushes; see GET /v1/broadcasts, or give the expectation to a session.")
    }
  }

  /// Reads on, in portions, and then evaluates.
  ///
  /// - Parameter isLast: whether the waiting is over.
  static func readOn(_ begun: LedgerWait, isLast: Bool) -> AdminReply {
    .reading { readers in
      var wait = begun
      let isThere = wait.check.read(readers.logs, work: BatchSize.checks)
      return isThere ? judge(wait, isLast: isLast) : readOn(wait, isLast: isLast)
    }
  }

  /// Evaluates some expectations per hold of the lock. Some of them ask for screens.
  private static func judge(_ begun: LedgerWait, isLast: Bool) -> AdminReply {
    let step: AdminReply.Step = { context, simulator in
      var wait = begun
      let now = simulator.now(wall: context.wall).world
      let judgement = wait.check.judge(
        simulator.world, simulator.readers.logs, at: now, isLast: isLast, work: BatchSize.checks)
      switch judgement {
      case .unfinished: return judge(wait, isLast: isLast)
      case .unmet: return answer([], wait)
      case .verdicts(let verdicts): return answer(verdicts, nil)
      }
    }
    return .more(step, isLong: true)
  }

  /// - Parameter wait: nil if the waiting is over.
  private static func answer(_ verdicts: [Verdict], _ wait: LedgerWait?) -> AdminReply {
    .response {
      var response = AdminResponse.json(shape.json((wait == nil && verdicts.allSatisfy(\.passed), verdicts)))
      response.waits = wait
      return response
    }
  }
}
