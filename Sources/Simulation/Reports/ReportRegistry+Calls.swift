import APNs
import Devices
import Reporting
import Timeline

/// The life of a call, from the event that causes it to its end.
extension ReportRegistry {
  /// What happens to a call after the app has made it.
  enum Course {
    case reachesWire
    case waits(Duration)
    case ends(CallOutcome)

    /// For a wait that may be zero.
    static func after(_ wait: Duration) -> Course { wait > .zero ? .waits(wait) : .reachesWire }
  }

  /// Queues the requests of an event, if the profile has any.
  mutating func add(
    _ event: ReportEvent, _ scope: TemplateScope, followed: String?, _ moment: AppContext, _ output: inout EventList
  ) {
    guard let plan = reports(moment.app) else { return }
    for unsent in self[moment].add(event, scope, plan, followed: followed) {
      let number = nextNumber()
      let end =
        switch unsent {
        case .incomplete(let request, let missing):
          CallEnd(number: number, moment, event: event.name, request, missing: missing)
        case .crowdedOut(let call):
          CallEnd(number: number, moment, call, .queueFull, "\(Reporter.mostWaiting) calls of the app already wait")
        }
      output.append(.callEnded(end))
    }
  }

  private mutating func nextNumber() -> UInt64 {
    count += 1
    return count
  }

  /// An app makes a call.
  ///
  /// - Returns: its number.
  mutating func begin(_ call: OutgoingCall, _ moment: AppContext) -> UInt64 {
    let number = nextNumber()
    let subject = Self.key(moment.device, moment.app)
    let calls = self[moment].calls
    self[moment].left(number)
    open[number] = Open(
      device: moment.device, app: moment.app, call: call, since: moment.now,
      losesAnswer: draws.answerLost.strikes(plan.trouble.answerLost, subject, calls),
      isDoubled: draws.doubled.strikes(plan.trouble.doubled, subject, calls))
    return number
  }

  /// What the settings do to the app's last call.
  func course(_ moment: AppContext) -> Course {
    let trouble = plan.trouble
    guard !trouble.isNone else { return .reachesWire }
    let subject = Self.key(moment.device, moment.app)
    let calls = self[moment].calls
    if draws.failed.strikes(trouble.failed, subject, calls) {
      return .ends(.failed(.refusedByRule, "reports.trouble.fail struck"))
    }
    if draws.lost.strikes(trouble.lost, subject, calls) {
      return .ends(.failed(.lost, "reports.trouble.lose struck"))
    }
    var wait = draws.delay.duration(in: trouble.delay, subject, calls)
    if draws.overtaken.strikes(trouble.overtaken, subject, calls) { wait += .seconds(1) }
    return .after(wait)
  }

  /// What a fault does to it.
  ///
  /// - Parameter delays: random stream for delays.
  mutating func course(
    of number: UInt64, struckBy name: String, _ fault: ReportFault, delays: Chance, _ moment: AppContext
  ) -> Course {
    switch fault {
    case .lose: return .ends(.failed(.lost, "the fault \(name) struck"))
    case .fail: return .ends(.failed(.refusedByRule, "the fault \(name) struck"))
    case .overtake: return .waits(.seconds(1))
    case .delay(let delay):
      return .after(delay.draw(delays, Self.key(moment.device, moment.app), self[moment].calls))
    case .loseAnswer:
      open[number]?.losesAnswer = true
      open[number]?.fault = name
    case .double: open[number]?.isDoubled = true
    case .clock: break
    }
    return .reachesWire
  }

  /// A call is sent.
  mutating func launch(_ number: UInt64, at now: Instant, _ output: inout EventList) {
    guard var call = open[number], !call.hasLeft else { return }
    call.hasLeft = true
    onWire += 1
    open[number] = call
    output.append(.call(CallRecord(number: number, call, at: now, isCopy: false)))
    if call.isDoubled { output.append(.call(CallRecord(number: nextNumber(), call, at: now, isCopy: true))) }
  }

  /// A call was answered, or failed. Its app's reaction is queued next.
  ///
  /// - Returns: the app; nil if the call had ended before.
  mutating func end(
    _ number: UInt64, _ result: CallOutcome, at now: Instant, _ output: inout EventList
  ) -> AppContext? {
    guard let call = close(number), let plan = reports(call.app) else { return nil }
    let moment = AppContext(app: call.app, device: call.device, now: now)
    let isLost = call.losesAnswer && result.status != nil
    let striker = call.fault.map { "the fault \($0)" } ?? "reports.trouble.loseAnswer"
    let outcome: CallOutcome =
      isLost ? .failed(.answerLost, "\(striker) struck an answer \(result.status ?? 0)") : result
    output.append(.callEnded(CallEnd(call, number: number, outcome, at: now)))
    for appAction in self[moment].end(number, call.call, outcome, plan) {
      turns.append(.react(FollowUp(appAction: appAction, moment: moment)))
    }
    return moment
  }

  private mutating func close(_ number: UInt64) -> Open? {
    guard let call = open.removeValue(forKey: number) else { return nil }
    if call.hasLeft { onWire -= 1 }
    return call
  }

  /// An app cancels the calls that it waits for.
  mutating func abort(_ moment: AppContext, because why: String, _ output: inout EventList) {
    for number in self[moment].aborted {
      guard let call = close(number), let plan = reports(moment.app) else { continue }
      let outcome = CallOutcome.failed(.aborted, why)
      output.append(.callEnded(CallEnd(call, number: number, outcome, at: moment.now)))
      // The process that would react does not run.
      _ = self[moment].end(number, call.call, outcome, plan)
    }
  }

  /// The process of an app ends, with all its queued calls.
  mutating func endProcess(_ moment: AppContext, because why: String, _ output: inout EventList) {
    abort(moment, because: why, &output)
    for call in self[moment].giveUp() {
      output.append(.callEnded(CallEnd(number: nextNumber(), moment, call, .aborted, why + " before it left")))
    }
  }
}
