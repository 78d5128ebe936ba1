import APNs
import Devices
import Reporting
import Scenarios
import Simulation
import Synchronization
import Timeline
import WireFormats

@testable import Hunting

/// A backend that is right, and has bugs if a test wants them. It starts a card on each phone, pushes scores and one
/// notification, and ends the cards of all phones but the last.
struct MatchBackend {
  /// A push that is to be sent.
  private struct Job {
    let due: Duration
    let device: Int
    let kind: String
    var score: Int64 = 0
    var timestamp: Int64 = 0
    /// The push that it repeats.
    var number: UInt64?
    var attempt = 1
  }

  private struct Phone {
    var device: (token: String, at: Instant)?
    var start: (token: String, at: Instant)?
    var update: (token: String, at: Instant)?
    /// The last score that APNs has taken.
    var taken: Int64 = -1
    var isEnded = false
    var isBusy = false
    var alerted: Instant?
    /// Number of alerts that were refused, and are to be told with the next one.
    var pending: Int64 = 0
    /// False if the other phone of its person gets alerts and starts.
    var isUsed = true
  }

  private let bug: Bug?
  private var play: Play
  private var phones: [Phone]
  private var jobs: [Job] = []
  private var read = 0
  private var bad: Set<String> = []
  private var score: Int64 = 0
  /// Number of pushes in a row whose refusal may be the connection's fault.
  private var failures = 0

  /// Plays the story, whose last nine minutes are quiet.
  static func witness(
    of bug: Bug? = nil, faults: [String] = [], settings: [String] = [], devices: Int = 3,
    length: Duration = .seconds(20 * 60), begins: Int? = nil, profile: String = "sightscreen",
    ending: (String, hangs: Bool)? = nil, steps: [String] = [], logCapacity: Int = 1000
  ) throws -> Witness {
    let play = try Play(
      faults: faults, settings: settings, devices: devices, begins: begins, profile: profile, steps: steps,
      logCapacity: logCapacity)
    var backend = MatchBackend(bug, play, devices: devices)
    try backend.run(until: length)
    return backend.play.witness(ended: ending?.0, hangs: ending?.hangs ?? false)
  }

  private static let plains = Mutex<[Bug?: Witness]>([:])

  /// The story without trouble, played once for each bug, an hour before the variants.
  static func plain(of bug: Bug? = nil) throws -> Witness {
    if let known = plains.withLock({ $0[bug] }) { return known }
    let hourAgo = Int(Scenario.usualBegin.seconds) - 3600
    let played = try witness(of: bug, begins: hourAgo)
    plains.withLock { $0[bug] = played }
    return played
  }

  private init(_ bug: Bug?, _ play: Play, devices: Int) {
    self.bug = bug
    self.play = play
    phones = Array(repeating: Phone(), count: devices)
    for device in phones.indices {
      phones[device].isUsed = bug != .movesToOtherPhone || device.isMultiple(of: 2)
      func at(_ seconds: Int, _ kind: String, _ score: Int64 = 0) {
        jobs.append(Job(due: .seconds(seconds), device: device, kind: kind, score: score))
      }
      at(30, "start")
      at(120, "update", 1)
      at(180, "update", 2)
      at(bug == .offersInTurn ? 240 + 20 * device : 240, "alert")
      at(300, "update", 3)
      at(600, "update", 4)
      if bug == .joinsAlerts {
        for (place, news) in [1, 3].enumerated() { at(440 + 200 * place, "alert", Int64(news)) }
      }
      let tellsLater: [Bug] = [.alertsRarely, .alertsAllRarely, .givesUpAlerts, .collapsesAlerts, .sparesTheBusy]
      if let bug, tellsLater.contains(bug) { at(560, "alert", 1) }
      if bug == .alertsTheCardless { at(750, "alert", 1) }
      if bug == .toggles {
        for (place, score) in [6, 7, 6].enumerated() { at(125 + 15 * place, "update", Int64(score)) }
      }
      if bug == .keepsDeviceTokens || bug == .alertsOften || bug == .movesToOtherPhone {
        for goal in 1...3 { at(180 + 120 * goal, "alert", Int64(goal)) }
      }
      guard device < devices - 1 else { continue }
      at(660, "end", bug == .endsWithoutContent ? 4 : 5)
    }
  }

  private mutating func run(until length: Duration) throws {
    let late = play.now.world.advanced(by: .seconds(60))
    if bug == .fails { play.answer = { .answered(status: $0.at > late ? 500 : 200, body: nil) } }
    while play.passed < length {
      play.pass(until: play.passed + .seconds(1))
      readCalls()
      let due = jobs.filter { $0.due <= play.passed }
      jobs.removeAll { $0.due <= play.passed }
      play.tick()
      for job in due { try carryOut(job) }
    }
  }

  // MARK: - Apps

  private mutating func readCalls() {
    for call in play.calls[read...] {
      let isOpening = call.call.event == "foreground" && call.at > play.scenario.begins.advanced(by: .seconds(5))
      if isOpening { phones[Int(call.device.number)].isBusy = true }
      guard let token = call.call.body.flatMap({ try? JSONValue.parse(Array($0.utf8)) }) else { continue }
      let device = Int(call.device.number)
      if let text = token["pushToken"]?.string, bug != .keepsDeviceTokens || phones[device].device == nil {
        phones[device].device = (text, call.at)
      }
      guard let text = token["token"]?.string else { continue }
      if call.call.event == "pushToStartToken" {
        phones[device].start = (text, call.at)
      } else if bug != .ignoresRotation || phones[device].update == nil {
        let isLate = phones[device].update == nil && score > 0
        phones[device].update = (text, call.at)
        if score > phones[device].taken, !(isLate && bug == .ignoresLateTokens) {
          jobs.append(Job(due: play.passed, device: device, kind: "update", score: score))
        }
      }
    }
    read = play.calls.count
  }

  // MARK: - Pushes

  private mutating func carryOut(_ job: Job) throws {
    var job = job
    if job.number == nil { score = max(score, job.score) }
    if let number = job.number, try !isToBeRepeated(job, number) { return }
    let phone = phones[job.device]
    let isUpdate = job.kind == "update" || job.kind == "end"
    if job.kind == "alert", job.number == nil, isTooSoon(for: job.device) { return }
    if !phone.isUsed, !isUpdate { return }
    if bug == .sparesTheBusy, phone.isBusy, !isUpdate { return }
    if bug == .alertsTheCardless, job.kind == "alert", job.score == 1, !phone.isEnded { return }
    if job.kind == "update", phone.isEnded { return }
    // The newest state takes the place of an older one that waits. What is sent again keeps its timestamp.
    let isOld = job.kind == "update" && job.score < score && bug != .toggles
    if isOld { job.score = score }
    if job.number == nil || isOld || bug == .restamps { job.timestamp = play.now.world.seconds }
    guard let token = (isUpdate ? phone.update : job.kind == "start" ? phone.start : phone.device)?.token else {
      return
    }
    guard !bad.contains(token) else { return }
    if bug == .renewsOnce, job.kind == "alert", job.device == 0 { play.renewals += 1 }
    if bug == .renewsOften { play.renewals += 1 }
    if bug == .endsWithoutContent, job.kind == "end" {
      var first = job
      first.score = 5
      _ = try play.push(payload(first, "update"), to: token)
      job.timestamp += 1
    }
    var headers: [(name: String, value: String)] = []
    if bug == .startsExpire, job.kind == "start" { headers = [("apns-expiration", "\(play.now.world.seconds + 60)")] }
    if bug == .collapsesAlerts, job.kind == "alert" { headers = [("apns-collapse-id", "news")] }
    let number = try play.push(
      payload(job, job.kind), to: token, type: job.kind == "alert" ? "alert" : "liveactivity",
      headers: headers)
    if bug == .tellsTwoThings, job.kind == "alert", job.number == nil {
      _ = try play.push(payload(job, "alert", about: "6FA459EA-EE8A-3CA4-894E-DB77E160355E"), to: token, type: "alert")
    }
    if bug == .shunsBadTokens, play.record(number)?.answer.status == 400 { bad.insert(token) }
    try settle(job, number)
  }

  private func payload(_ job: Job, _ kind: String, about thing: String = "1B4E28BA-2FA1-11D2-883F-0016D3CCA427")
    -> JSONValue
  {
    guard kind != "alert" else {
      let count = (job.score == 3 ? 2 : 1) + phones[job.device].pending
      let usual = job.score == 0 ? "Half time" : "Goal \(job.score)"
      return [
        "aps": ["alert": ["title": .string(bug == .joinsAlerts ? "\(count) new" : usual)]], "data": .string(thing),
      ]
    }
    var aps: [JSONValue.Member] = [
      .init("timestamp", .integer(job.timestamp)), .init("event", .string(kind)),
    ]
    let isBare = bug == .endsWithoutContent && kind == "end"
    if !isBare {
      aps.append(
        .init(
          "content-state",
          [
            "matchDisplayState": "live", "compactLeading": ["teamAbbr": "MI", "score": .string("\(job.score)")],
            "compactTrailing": ["overs": "1", "runRate": "6"],
          ]))
    }
    if kind == "start" {
      aps += [.init("attributes-type", "MatchAttributes"), .init("attributes", ["matchId": "m1"])]
      aps.append(.init("alert", ["title": "Kick-off", "body": "MI v CSK"]))
    } else if job.score == 2 {
      aps.append(.init("alert", ["title": "Goal", "body": "MI"]))
    }
    return ["aps": .object(aps)]
  }

  /// Looks at the answer, and decides when to look or to send again.
  private mutating func settle(_ job: Job, _ number: UInt64) throws {
    guard let record = play.record(number) else { return }
    judgeConnection(by: record)
    if record.sent == .answer(status: 200) { return taken(job) }
    if bug == .forgets {
      phones[job.device].update = nil
      return
    }
    if bug == .resendsAll, record.sent == .answer(status: 429) {
      for device in phones.indices where device != job.device {
        jobs.append(Job(due: play.passed + .seconds(1), device: device, kind: job.kind, score: job.score))
      }
    }
    if record.sent == .answer(status: 410) {
      guard bug != .ignores410 else { return }
      return forget(job, since: record.answer.rejection?.since ?? .distantPast)
    }
    if bug == .renewsAtRefusal {
      if record.answer.rejection?.reason == .tooManyProviderTokenUpdates { return }
      if record.answer.rejection?.reason == .expiredProviderToken { play.renewals += 1 }
    }
    if bug == .movesToOtherPhone, job.kind == "alert" || job.kind == "start" {
      (phones[job.device].isUsed, phones[job.device ^ 1].isUsed) = (false, true)
    }
    if job.kind == "alert" { phones[job.device].pending += 1 }
    let sendsAlertsOnce =
      bug == .offersInTurn && job.attempt > 1
      || [.givesUpAlerts, .collapsesAlerts, .movesToOtherPhone, .joinsAlerts].contains(bug)
      || bug == .givesUpFirst && job.device == 0
    let sendsOnce = bug == .givesUp || bug == .toggles || bug == .alertsTheCardless
    guard !sendsOnce, !sendsAlertsOnce || job.kind != "alert", job.attempt < 8 else { return }
    var again = Job(
      due: play.passed + wait(job, record), device: job.device, kind: job.kind, score: job.score,
      timestamp: job.timestamp, number: number)
    again.attempt = job.attempt + 1
    if bug == .isHasty, case .answer = record.sent { return try carryOut(again) }
    if bug == .waitsByItsClock, case .answer = record.sent {
      play.wall = play.wall.advanced(by: .seconds(10))
      return try carryOut(again)
    }
    if bug == .waitsForTheTick, case .answer = record.sent {
      play.wall = play.wall.advanced(by: .milliseconds(1))
      play.tick()
      play.wall = play.wall.advanced(by: .milliseconds(1))
      return try carryOut(again)
    }
    jobs.append(again)
  }

  /// True if the phone, or any phone, was alerted a few minutes ago.
  private func isTooSoon(for device: Int) -> Bool {
    guard bug == .alertsRarely || bug == .alertsAllRarely else { return false }
    return phones.indices.contains { other in
      guard other == device || bug == .alertsAllRarely, let then = phones[other].alerted
      else {
        return false
      }
      return (.seconds(1)..<(.seconds(300))).contains(then.duration(to: play.now.world))
    }
  }

  private mutating func judgeConnection(by record: PushRecord) {
    let isRefused = record.answer.status == 500 || record.answer.rejection?.reason == .expiredProviderToken
    failures = isRefused ? failures + 1 : 0
    guard failures >= 3, bug != .keepsConnection else { return }
    play.reconnect()
    failures = 0
  }

  private func wait(_ job: Job, _ record: PushRecord) -> Duration {
    if bug == .isImpatient || bug == .breaksOff { return .seconds(5) }
    if bug == .givesUpAlerts { return .seconds(80) }
    if job.kind == "start", case .answer = record.sent { return .seconds(30) }
    if job.kind == "start" { return bug == .startsAgain ? .seconds(1) : .seconds(130) }
    return .seconds(30)
  }

  private mutating func taken(_ job: Job) {
    guard job.kind != "alert" else {
      (phones[job.device].alerted, phones[job.device].pending) = (play.now.world, 0)
      return
    }
    phones[job.device].taken = max(phones[job.device].taken, job.score)
    if job.kind == "end" { phones[job.device].isEnded = true }
  }

  private mutating func forget(_ job: Job, since: Instant) {
    switch job.kind {
    case "alert":
      guard let known = phones[job.device].device, since >= known.at else { return }
      phones[job.device].device = nil
      if bug == .forgetsTheApp { (phones[job.device].start, phones[job.device].update) = (nil, nil) }
    case "start": if let known = phones[job.device].start, since >= known.at { phones[job.device].start = nil }
    default:
      guard let known = phones[job.device].update else { return }
      if since >= known.at {
        phones[job.device].update = nil
        if bug == .startsWhatIsGone {
          jobs.append(Job(due: play.passed + .seconds(1), device: job.device, kind: "start", score: job.score))
        }
        return
      }
      jobs.append(
        Job(due: play.passed + .seconds(30), device: job.device, kind: job.kind, score: job.score))
    }
  }

  /// True if a push has to be sent again.
  private mutating func isToBeRepeated(_ job: Job, _ number: UInt64) throws -> Bool {
    guard let record = play.record(number) else { return false }
    // The answer may have come since.
    if record.sent == .answer(status: 200) {
      taken(job)
      return false
    }
    switch job.kind {
    case "start":
      let hasExpired = record.push.expiration.map { $0 < play.now.world } ?? false
      return phones[job.device].update == nil && !hasExpired || bug == .startsAgain
    case "alert":
      if case .answer = record.sent { return true }
      if bug == .breaksOff { play.breakOff(number) }
      return bug == .isImpatient || bug == .breaksOff || !record.isProcessed
    default: return !phones[job.device].isEnded
    }
  }
}
