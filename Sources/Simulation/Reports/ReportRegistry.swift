import APNs
import Devices
import Reporting
import Timeline

/// The state of reporting: what apps remember, and which calls are open.
package struct ReportRegistry: Sendable {
  /// The configuration of reporting.
  package struct Plan: Hashable, Sendable {
    /// By app number; nil for apps without reports.
    package var apps: [ReportPlan?] = []
    /// Every app is opened once after the world begins, so that its backend knows it. The times are spread over this
    /// duration by the seed.
    package var opensWithin: Duration? = .seconds(10)
    /// Time for which a person stays in an app to perform an action. Assumed.
    package var visit: Duration = .seconds(30)
    package var trouble = ReportTrouble()

    package init() {}

    var isOn: Bool { apps.contains { $0 != nil } }
  }

  let plan: Plan
  let isOn: Bool
  private var reporters: [UInt64: Reporter] = [:]
  /// Number of things that are followed, in all apps on all phones.
  private(set) var follows = 0
  /// Maximum number of them: 8 a phone, and many even for a small fleet.
  var mostFollows: Int
  private(set) var calls = OpenCalls()
  let draws: ReportDraws
  var turns = AppTurns()

  /// Maximum number of reactions of one app on one phone per second. An app that repeats what fails at once would
  /// otherwise never stop.
  package static let mostReactions = 100

  /// - Parameter devices: number of devices of the fleet.
  init(_ plan: Plan, devices: UInt32, seed: UInt64) {
    self.plan = plan
    mostFollows = max(100_000, 8 * Int(devices))
    isOn = plan.isOn
    draws = ReportDraws(seed: seed)
  }

  static func key(_ device: DeviceID, _ app: Int) -> UInt64 { UInt64(device.number) << 8 | UInt64(app) }

  func reports(_ app: Int) -> ReportPlan? { plan.apps.indices.contains(app) ? plan.apps[app] : nil }

  subscript(moment: AppContext) -> Reporter {
    get { self[moment.device, moment.app] }
    _modify { yield &self[moment.device, moment.app] }
  }

  subscript(device: DeviceID, app: Int) -> Reporter {
    get { reporters[Self.key(device, app)] ?? Reporter() }
    _modify {
      let before = self[device, app].followed.count
      yield &reporters[Self.key(device, app), default: Reporter()]
      follows += self[device, app].followed.count - before
    }
  }

  /// Continues the numbers of calls, so that nothing new is mistaken for something old.
  mutating func continueNumbers(after count: UInt64) { calls = OpenCalls(after: count) }

  // MARK: - The life of a call

  /// The way of a call after the app has made it.
  enum Course {
    case reachesWire
    case waits(Duration)
    case ends(CallOutcome)

    /// For a wait that may be zero.
    static func after(_ wait: Duration) -> Course { wait > .zero ? .waits(wait) : .reachesWire }
  }

  /// Queues the requests of an event, if the profile has any.
  mutating func add(
    _ event: ReportEvent, scope: TemplateScope, followed: String?, in moment: AppContext, output: inout EventList
  ) {
    guard let plan = reports(moment.app) else { return }
    for unsent in self[moment].add(event, scope: scope, plan: plan, followed: followed) {
      let number = calls.nextNumber()
      let end =
        switch unsent {
        case .incomplete(let request, let missing):
          CallEnd(number: number, moment, event: event.name, request, missing: missing)
        case .crowdedOut(let call):
          CallEnd(
            number: number, context: moment, call: call, failure: .queueFull,
            sentence: "\(Reporter.mostWaiting) calls of the app already wait")
        }
      output.append(.callEnded(end))
    }
  }

  /// An app makes a call.
  ///
  /// - Returns: its number.
  mutating func begin(_ call: OutgoingCall, _ moment: AppContext) -> UInt64 {
    let number = calls.nextNumber()
    let subject = Self.key(moment.device, moment.app)
    let made = self[moment].calls
    self[moment].left(number)
    calls.add(
      OpenCalls.Call(
        device: moment.device, app: moment.app, call: call, since: moment.now,
        losesAnswer: draws.answerLost.strikes(plan.trouble.answerLost, subject: subject, count: made),
        isDoubled: draws.doubled.strikes(plan.trouble.doubled, subject: subject, count: made)), number: number)
    return number
  }

  /// The effect of the settings on the app's last call.
  func course(_ moment: AppContext) -> Course {
    let trouble = plan.trouble
    guard !trouble.isNone else { return .reachesWire }
    let subject = Self.key(moment.device, moment.app)
    let made = self[moment].calls
    if draws.failed.strikes(trouble.failed, subject: subject, count: made) {
      return .ends(.failed(.refusedByRule, "reports.trouble.fail struck"))
    }
    if draws.lost.strikes(trouble.lost, subject: subject, count: made) {
      return .ends(.failed(.lost, "reports.trouble.lose struck"))
    }
    var wait = draws.delay.duration(in: trouble.delay, subject: subject, count: made)
    if draws.overtaken.strikes(trouble.overtaken, subject: subject, count: made) { wait += .seconds(1) }
    return .after(wait)
  }

  /// The effect of a fault on a call.
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
      return .after(delay.draw(with: delays, subject: Self.key(moment.device, moment.app), count: self[moment].calls))
    case .loseAnswer:
      calls.change(number) {
        $0.losesAnswer = true
        $0.fault = name
      }
    case .double: calls.change(number) { $0.isDoubled = true }
    case .clock: break
    }
    return .reachesWire
  }

  /// A call is sent.
  mutating func launch(_ number: UInt64, at now: Instant, _ output: inout EventList) {
    guard let call = calls.launch(number) else { return }
    output.append(.call(CallRecord(number: number, call, at: now, isCopy: false)))
    if call.isDoubled { output.append(.call(CallRecord(number: calls.nextNumber(), call, at: now, isCopy: true))) }
  }

  /// A call was answered, or failed. Its app's reaction is queued next.
  ///
  /// - Returns: the app; nil if the call had ended before.
  mutating func end(
    _ number: UInt64, result: CallOutcome, at now: Instant, output: inout EventList
  ) -> AppContext? {
    guard let call = calls.close(number), let plan = reports(call.app) else { return nil }
    let moment = AppContext(app: call.app, device: call.device, now: now)
    let isLost = call.losesAnswer && result.status != nil
    let striker = call.fault.map { "the fault \($0)" } ?? "reports.trouble.loseAnswer"
    let outcome: CallOutcome =
      isLost ? .failed(.answerLost, "\(striker) struck an answer \(result.status ?? 0)") : result
    output.append(.callEnded(CallEnd(call, number: number, outcome, at: now)))
    for appAction in self[moment].end(number, call: call.call, outcome: outcome, plan: plan) {
      turns.append(.react(appAction, moment))
    }
    return moment
  }

  /// An app cancels the calls that it waits for.
  mutating func abort(_ moment: AppContext, because why: String, _ output: inout EventList) {
    for number in self[moment].aborted {
      guard let call = calls.close(number), let plan = reports(moment.app) else { continue }
      let outcome = CallOutcome.failed(.aborted, why)
      output.append(.callEnded(CallEnd(call, number: number, outcome, at: moment.now)))
      // The process that would react does not run.
      _ = self[moment].end(number, call: call.call, outcome: outcome, plan: plan)
    }
  }

  /// The process of an app ends, with all its queued calls.
  mutating func endProcess(_ moment: AppContext, because why: String, _ output: inout EventList) {
    abort(moment, because: why, &output)
    for call in self[moment].giveUp() {
      output.append(
        .callEnded(
          CallEnd(
            number: calls.nextNumber(), context: moment, call: call, failure: .aborted,
            sentence: why + " before it left")))
    }
  }
}
