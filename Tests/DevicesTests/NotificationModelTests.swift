import Devices
import TestSupport
import Testing
import Timeline
import WireFormats

/// Wakes and lists against accounts that remember everything and work it out anew at every question.
@Suite("Notifications and wakes against simple models")
struct NotificationModelTests {
  private struct Held {
    let push: UInt64
    let due: Int64?
  }

  @Test("Random arrivals, changes of conditions, launches and times of wakes agree with a simple model")
  func wakes() {
    for seed: UInt64 in 0..<300 {
      var dice = Dice(seed: seed)
      var plan = BackgroundWakePlan()
      plan.wakes = UInt32(dice.below(4))
      plan.window = .nanoseconds(100)
      plan.runtime = .nanoseconds(1)
      plan.odds = Odds(UInt64(dice.below(5)), in: 4)
      plan.whenRestricted = BackgroundWakePlan.Restricted.allCases[dice.below(3)]
      let chance = Chance(seed: seed)
      var wakes = BackgroundWakes()
      var woken: [Int64] = []
      var held: Held?
      var here = BackgroundContext()
      var now: Int64 = 0
      for step in 0..<200 {
        now += Int64(dice.below(30))
        let at = Instant(nanoseconds: now)
        let due = wakes.takeDue(by: at)
        let expectedDue = held.flatMap { held in (held.due.map { $0 <= now } ?? false) ? held.push : nil }
        if expectedDue != nil { held = nil }
        var arriving = due
        switch dice.below(8) {
        case 0:
          here.isLowPower.toggle()
          here.isRefreshOn = dice.below(4) > 0
          wakes.conditionsChanged(at: at)
          if let waiting = held, waiting.due == nil { held = Held(push: waiting.push, due: now) }
        case 1: here.process = AppProcess.allCases[dice.below(AppProcess.allCases.count)]
        case 2:
          #expect(wakes.launch() == held?.push, "seed \(seed)")
          held = nil
        default: arriving = arriving ?? UInt64(step)
        }
        guard let push = arriving else { continue }

        // A window begins with a wake outside the one before.
        var start: Int64?
        var spent = 0
        for wake in woken {
          if start.map({ wake - $0 >= 100 }) ?? true {
            start = wake
            spent = 0
          }
          spent += 1
        }
        let isOpen = start.map { now - $0 < 100 } ?? false
        let older = held?.push
        held = nil
        let expected: BackgroundWakes.Outcome
        if here.process == .forceQuit {
          expected = .discarded(.forceQuit)
        } else if here.process == .foreground || here.process == .background {
          expected = .deliveredToRunning
        } else if here.isLowPower || !here.isRefreshOn, plan.whenRestricted != .deliver {
          let cause: WakeCause = here.isLowPower ? .lowPower : .refreshOff
          expected = plan.whenRestricted == .drop ? .discarded(cause) : .held(cause, until: nil)
          if plan.whenRestricted == .hold { held = Held(push: push, due: nil) }
        } else if isOpen ? spent >= plan.wakes : plan.wakes == 0 {
          let until = isOpen ? (start ?? 0) + 100 : now + 1_000_000_000
          expected = .held(.throttled, until: Instant(nanoseconds: until))
          held = Held(push: push, due: until)
        } else if chance.strikes(plan.odds, subject: 5, count: push) {
          expected = .woken(until: Instant(nanoseconds: now + 1))
          woken.append(now)
        } else {
          expected = .notWoken
        }
        let arrival = wakes.receive(push, in: here, plan: plan, draw: WakeDraw(chance, subject: 5, count: push), at: at)
        guard due == expectedDue, arrival == .init(outcome: expected, superseded: older), wakes.heldPush == held?.push
        else {
          Issue.record("seed \(seed), step \(step): \(arrival), not \(expected)")
          return
        }
      }
    }
  }

  @Test("Random pushes, taps and clearing agree with a simple list")
  func lists() throws {
    for seed: UInt64 in 0..<60 {
      var dice = Dice(seed: seed)
      var phone = NotificationPhone()
      // Oldest first.
      var account: [(number: UInt32, id: String?, text: String)] = []
      var badge = 0
      var next: UInt32 = 0
      for step in 0..<200 {
        switch dice.below(30) {
        case 0:
          #expect(phone.list.clear() == account.count, "seed \(seed)")
          account = []
        case 1..<4:
          let number = UInt32(dice.below(Int(next) + 1))
          let index = account.firstIndex { $0.number == number }
          let tapped = phone.list.tap(number)?.text(phone.here.strings, in: phone.here.language)
          #expect(tapped?.alert.body == index.map { account[$0].text }, "seed \(seed)")
          if let index { account.remove(at: index) }
        default:
          phone.here.permission = NotificationPermission.allCases[dice.below(5)]
          phone.here.isFocusOn = dice.below(3) == 0
          phone.here.app = NotificationContext.App.allCases[dice.below(3)]
          let id = dice.below(2) == 0 ? "\(dice.below(6))" : nil
          let isPassive = dice.below(4) == 0
          let seen = try phone.receive(
            #""alert":"\#(step)","badge":\#(step),"sound":"default""#
              + (isPassive ? #","interruption-level":"passive""# : ""), collapseID: id)
          let permission = phone.here.permission
          let isRefused = permission == .denied || permission == .notDetermined || phone.here.app == .frontHiding
          let isQuiet = permission == .provisional || isPassive || phone.here.isFocusOn
          #expect(seen.shape == (isRefused ? .nothing : isQuiet ? .listOnly : .banner), "seed \(seed)")
          #expect((seen.sound != nil) == (seen.shape == .banner), "seed \(seed)")
          guard !isRefused else { break }
          if permission != .provisional { badge = step }
          let older = id.flatMap { id in account.firstIndex { $0.id == id } }
          #expect(seen.replaced == older.map { account[$0].number }, "seed \(seed)")
          if let older { account.remove(at: older) }
          account.append((next, id, "\(step)"))
          next += 1
          if account.count > 64 { account.removeFirst() }
        }
        guard phone.list.shown.map(\.number) == account.reversed().map(\.number), phone.list.badge == badge else {
          Issue.record("seed \(seed), step \(step): \(phone.list.shown.map(\.number))")
          return
        }
      }
    }
  }

  /// Any JSON, mostly shallow.
  private func anything(_ dice: inout Dice, _ depth: Int) -> String {
    let leaves = [
      "null", "true", "false", "0", "1", "-1", "1.5", "1e300", "9223372036854775808", #""""#, #""default""#,
      #""%@ %1$@ %%""#, #""WICKET""#, #""passive""#, "{}", "[]",
    ]
    guard depth > 0, dice.below(3) == 0 else { return leaves[dice.below(leaves.count)] }
    let items = (0..<dice.below(5)).map { _ in anything(&dice, depth - 1) }
    guard dice.below(2) == 0 else { return "[" + items.joined(separator: ",") + "]" }
    let keys = [
      "title", "subtitle", "body", "loc-key", "loc-args", "title-loc-key", "title-loc-args", "name", "critical",
      "volume",
    ]
    return "{" + items.map { #""\#(keys[dice.below(keys.count)])":\#($0)"# }.joined(separator: ",") + "}"
  }

  @Test("any payload leaves the phone within its bounds")
  func anyPayload() throws {
    for seed: UInt64 in 0..<300 {
      var dice = Dice(seed: seed)
      var phone = NotificationPhone()
      phone.here.allowsCritical = true
      for _ in 0..<20 {
        let members = NotificationPayloadTests.members.filter { _ in dice.below(2) == 0 }.map {
          #""\#($0.name)":\#(anything(&dice, 4))"#
        }
        let text = members.joined(separator: ",")
        let payload = try NotificationPhone.aps(text)
        let seen = try phone.receive(text)
        #expect(phone.list.badge >= 0 && (payload.relevance.map { (0...1).contains($0) } ?? true), "seed \(seed)")
        #expect(seen.sound.map { $0.name == "default" && (0...1).contains($0.volume) } ?? true, "seed \(seed)")
        #expect((seen.number != nil) == (seen.shape != .nothing), "seed \(seed)")
        #expect(Set(payload.remarks.list).count == payload.remarks.list.count, "seed \(seed)")
        #expect(!payload.isBackground || seen.cause == .nothingToShow, "seed \(seed)")
        let activity = try JSONNode.read(Array(#"{"a":\#(anything(&dice, 4))}"#.utf8)) { root in
          var remarks = PayloadRemarks()
          return AlertContent(root["a"], of: .liveActivity, noting: &remarks)
        }
        let body = activity?.rendered(NotificationPhone.strings, in: "de").body ?? ""
        #expect(body.utf8.count <= LocalizedText.longest, "seed \(seed)")
      }
    }
  }
}
