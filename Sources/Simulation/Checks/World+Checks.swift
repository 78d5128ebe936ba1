import APNs
import Devices
import Timeline
import WireFormats

/// Checks at the boundary of the world: each entry point ends with one.
///
/// They are compiled with `-D PUSHPIT_CHECKS`, which debug builds, the test build and the fuzzers have (Package.swift),
/// and never the program that users get. A broken rule ends the program with a sentence that has the values: it is a
/// defect of Pushpit, whatever the input was.
#if PUSHPIT_CHECKS
  extension World {
    /// A call at that time is done.
    @inline(never)
    mutating func check(at now: Instant) {
      if let problem = leftOver(at: now) { stop(problem) }
      guard checks.isWholeDue() else { return }
      checks.wait(for: size)
      if let problem = problems(at: now).first { stop(problem) }
    }

    /// Time has passed: nothing that was due by then is left.
    mutating func check(past now: Instant) {
      if let due = schedule.nextDue, due <= now {
        stop("Nothing due is left behind: work is due at \(due), and time has passed to \(now).")
      }
      check(at: now)
    }

    /// The first thing that a call left for the next one, and must not; nil if it left nothing.
    private func leftOver(at now: Instant) -> String? {
      let schedule = schedule
      // What a call plans for this very instant is done when time passes: see `check(past:)`.
      if schedule.soonest < now {
        return "Nothing due is left behind: work was due at \(schedule.soonest), now \(now)."
      }
      if schedule.working != nil { return "Work is finished before the call ends." }
      if let problem = output.times.problem { return problem }
      if !deviceState.turn.effects.items.isEmpty {
        return "Effects of a phone are taken: \(deviceState.turn.effects.items.count) left."
      }
      if let left = deviceState.reports.turns.left {
        return "Reactions of apps are done before the call ends: \(left) left."
      }
      return nil
    }

    /// Every broken rule, in sentences. It looks at everything, so `check(at:)` calls it in turns.
    func problems(at now: Instant) -> [String] {
      connections.problems + faults.problems(on: connections, schedule, deviceState.prompts, at: now)
        + deviceState.problems(at: now) + obsoleteProblems + certificateProblems
        + waves.problems(deviceState.subscriptions, at: now)
    }

    /// Every obsolete entry of the schedule was counted.
    private var obsoleteProblems: [String] {
      let (isWanted, schedule) = (wantedWork, schedule)
      let obsolete = schedule.agenda.heap.count { !isWanted($0.work, $0.due) }
      var found: [String] = []
      if obsolete > schedule.obsolete {
        found.append("\(obsolete) entries of the schedule are obsolete, counted \(schedule.obsolete).")
      }
      if schedule.soonest != schedule.nextDue ?? .distantFuture {
        found.append("The schedule says \(schedule.soonest); its first entry is due at \(schedule.nextDue as Any).")
      }
      return found
    }

    /// No open connection is accepted by a certificate that the scenario has revoked.
    private var certificateProblems: [String] {
      guard !suspendedCertificates.isEmpty else { return [] }
      return openConnections.compactMap { connection in
        guard let certified = provider(of: connection.id)?.certified, certified.refusal == nil,
          suspendedCertificates.contains(certified.certificate.fingerprint)
        else { return nil }
        return "Connection \(connection.id.number) is accepted by a certificate that is revoked."
      }
    }

    /// A measure of the work of `problems(at:)`.
    private var size: Int {
      schedule.count + fleet.seats / 16 + fleet.phones.count * 4
        + fleet.registeredTokens.count + deviceState.store.count + deviceState.reports.calls.list.count
        + connections
        .count * 2
        + faults.active.count * 4
    }

    private func stop(_ problem: String) -> Never {
      fatalError("A check of Pushpit itself has failed (seed \(fleet.plan.seed)). \(problem)")
    }
  }

  /// Turns at which the whole world is checked: so rare that all checks together cost as much per call in any fleet.
  struct CheckTurns: Sendable {
    private static let leastWait = 24
    private var calls = 0
    private var needed = leastWait

    mutating func isWholeDue() -> Bool {
      calls += 1
      return calls >= needed
    }

    /// - Parameter size: a measure of the work that was done now.
    mutating func wait(for size: Int) {
      calls = 0
      needed = max(Self.leastWait, size / 2)
    }
  }

  /// Verdict of the world on a push by itself.
  struct WholeVerdict {
    let outcome: Result<AcceptedPush, Rejection>
    let address: Address?
    let keyNumber: Int?
  }

  extension World {
    /// The verdict of all rules on a push, with nothing known of it before. Changes nothing.
    func wholeVerdict(on request: HTTPRequest, of index: Connections.Index, at now: Now) -> WholeVerdict {
      var (validator, provider) = (validator, connections[index].provider)
      var phones = WitnessedPhones(fleet: fleet)
      let checked = validator.check(ParsedPush(request, in: provider.environment), on: &provider, at: now.wall)
      let (address, outcome) = validator.admit(
        checked, to: nil, isBlocked: isBlocked(index, at: now.world), using: &phones, at: now.world)
      return WholeVerdict(outcome: outcome, address: address, keyNumber: checked.keyNumber)
    }

    /// Verdict on the push to one of many devices.
    func wholeVerdict(
      on template: PushTemplate, to address: Address, of index: Connections.Index, at now: Now
    ) -> WholeVerdict {
      wholeVerdict(on: template.push.request(to: address), of: index, at: now)
    }

    /// The verdict that was found on a shorter way is that of all rules.
    func check(
      _ outcome: Result<AcceptedPush, Rejection>, address: Address?, keyNumber: Int?, against whole: WholeVerdict
    ) {
      let found = WholeVerdict(outcome: outcome, address: address, keyNumber: keyNumber)
      guard found.words != whole.words else { return }
      stop("The verdict before the lock is the world's own: it is \(found.words); the world says \(whole.words).")
    }
  }

  extension WholeVerdict {
    fileprivate var words: String {
      let what =
        switch outcome {
        case .success(let push):
          "accepted for \(push.address), lingering \(push.isLingering), dropped \(push.isDropped)"
        case .failure(let why):
          "\(why.reason.rawValue) by \(why.rule.map { "\($0)" } ?? "no rule")"
            + (why.since.map { " since \($0)" } ?? "")
        }
      return "\(what), address \(address.map { "\($0)" } ?? "unknown"), key \(keyNumber.map { "\($0)" } ?? "none")"
    }
  }

  /// The phones of a fleet, which count no request.
  private struct WitnessedPhones: TokenDirectory {
    let fleet: Fleet

    func status(of token: DeviceToken, in environment: Environment, at now: Instant) -> TokenStatus {
      fleet.status(of: token, in: environment, at: now)
    }

    func status(of address: Address, in environment: Environment, at now: Instant) -> TokenStatus {
      fleet.status(of: address, in: environment, at: now)
    }

    func belongs(_ address: Address, to topic: Topic) -> Bool { fleet.belongs(address, to: topic) }

    func admit(_ address: Address, at now: Instant) -> Bool {
      let isUpdate = if case .update = address.slot { true } else { false }
      guard let limit = isUpdate ? fleet.rulebook.updateTokenRate : fleet.rulebook.otherTokenRate else { return true }
      var phone = fleet.phone(address.device)
      return phone.admit(address, limit, at: now)
    }
  }
#else
  struct WholeVerdict {}

  extension World {
    func check(at now: Instant) {}

    func check(past now: Instant) {}

    func wholeVerdict(on request: @autoclosure () -> HTTPRequest, of index: Connections.Index, at now: Now)
      -> WholeVerdict
    { WholeVerdict() }

    func wholeVerdict(
      on template: PushTemplate, to address: Address, of index: Connections.Index, at now: Now
    ) -> WholeVerdict { WholeVerdict() }

    func check(
      _ outcome: borrowing Result<AcceptedPush, Rejection>, address: Address?, keyNumber: Int?,
      against whole: WholeVerdict
    ) {}
  }
#endif
