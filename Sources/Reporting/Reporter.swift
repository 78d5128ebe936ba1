import Timeline
import WireFormats

/// The state of an install's communication with its backend.
///
///     event ──▶ waiting ──its turn──▶ said before? dropped : open ──2xx──▶ remembered
///                  ▲                                           └─failure─▶ pending, if its profile says so
///                  └───────────────── the next foreground ─────────────────────┘
///
/// Observed (docs/behavior/apps.md#follows): follows are kept on disk; what was sent last and what will be retried is
/// in memory and lost with the process.
package struct Reporter: Hashable, Sendable {
  /// On disk, in the order in which they were followed.
  package private(set) var followed: [String] = []
  /// The content of the last successful call, by name.
  private var sent: [String: String] = [:]
  private var waiting: [OutgoingCall] = []
  private var pending: [OutgoingCall] = []
  /// Open calls, in the order of sending.
  package private(set) var open: [UInt64] = []
  /// Followed, but the Live Activity failed.
  private var warned: [String] = []
  /// Activities whose token the app has received.
  private var known: [UInt32] = []
  /// Counts installations, because some state is new with each.
  package private(set) var generation: UInt64 = 0
  /// Counts calls, for random draws.
  package private(set) var calls: UInt64 = 0
  /// True if a check for stale activities is scheduled.
  package var isChecking = false
  /// Since when the app has checked for them.
  package var checksFrom: Instant?

  /// Maximum number of waiting calls of one install; further ones are dropped.
  package static let mostWaiting = 100
  /// Maximum number of things that are followed.
  private static let mostFollowed = 1000

  package init() {}

  package var isIdle: Bool { waiting.isEmpty && open.isEmpty }

  // MARK: - Life of the process

  /// A new process: everything in memory is lost.
  package mutating func processBegan() {
    sent = [:]
    waiting = []
    pending = []
    known = []
    isChecking = false
    checksFrom = nil
  }

  /// The app was deleted, or restored from a backup.
  ///
  /// - Parameter keepsDisk: whether the data on disk is restored.
  package mutating func installed(keepsDisk: Bool) {
    processBegan()
    generation += 1
    if !keepsDisk {
      followed = []
      warned = []
    }
  }

  // MARK: - Calls

  /// Remembers an activity, and returns true if this is its first token here.
  package mutating func meetsToken(of activity: UInt32) -> Bool {
    guard !known.contains(activity) else { return false }
    known.append(activity)
    if known.count > 64 { known.removeFirst() }
    return true
  }

  /// Queues the requests that the profile sends at an event.
  ///
  /// - Returns: requests that will not be sent.
  package mutating func add(
    _ event: ReportEvent, scope: TemplateScope, plan: ReportPlan, followed: String? = nil
  ) -> [UnsentCall] {
    var unsent: [UnsentCall] = []
    for request in plan.requests(at: event) {
      do throws(MissingValue) {
        let call = try OutgoingCall(request, at: event, scope: scope, plan: plan, followed: followed)
        if waiting.count >= Self.mostWaiting { unsent.append(.crowdedOut(waiting.removeFirst())) }
        waiting.append(call)
      } catch {
        unsent.append(.incomplete(request, error.reference))
      }
    }
    return unsent
  }

  /// The process ends: its waiting requests are lost.
  ///
  /// - Returns: the lost requests that were not duplicates.
  package mutating func giveUp() -> [OutgoingCall] {
    let lost = waiting.filter { call in call.memory.map { sent[$0] != call.content } ?? true }
    waiting = []
    return lost
  }

  /// The next call that may be sent; duplicates are skipped.
  package mutating func next(_ plan: ReportPlan) -> OutgoingCall? {
    while !waiting.isEmpty {
      if plan.isInOrder, !open.isEmpty { return nil }
      let call = waiting.removeFirst()
      if let memory = call.memory, sent[memory] == call.content { continue }
      calls += 1
      return call
    }
    return nil
  }

  package mutating func left(_ number: UInt64) { open.append(number) }

  /// A call has ended.
  ///
  /// - Returns: the app's actions.
  package mutating func end(
    _ number: UInt64, call: OutgoingCall, outcome: CallOutcome, plan: ReportPlan
  ) -> [AppAction] {
    open.removeAll { $0 == number }
    var scope = call.scope
    if let answer = outcome.answer { scope[.answer] = answer }
    if let status = outcome.status { scope[.status] = .integer(Int64(status)) }
    var steps: [FollowUpStep] = []
    if outcome.isSuccess {
      if let memory = call.memory { remember(call.content, as: memory) }
      if let list = call.request.reconcile.flatMap({ scope.value(of: $0)?.elements }) { reconcile(list) }
      steps = call.request.then
    } else if !call.request.retry.isEmpty, pending.count < Self.mostWaiting {
      pending.append(call)
    }
    // An action is skipped if the answer lacks a value for it.
    return (steps + call.request.finally).compactMap { step in
      (try? AppAction(step, scope, followed: call.followed)) ?? nil
    }
  }

  private mutating func remember(_ content: String, as name: String) {
    if sent.count >= 256, sent[name] == nil { sent.removeAll() }
    sent[name] = content
  }

  /// The runtime has ended: open calls are lost. These numbers must be ended.
  package var aborted: [UInt64] { open }

  /// Failed requests are tried again.
  package mutating func retry(at occasion: RequestTemplate.Occasion) {
    let again = pending.filter { $0.request.retry.contains(occasion) }
    pending.removeAll { $0.request.retry.contains(occasion) }
    waiting += again.prefix(max(0, Self.mostWaiting - waiting.count))
  }

  // MARK: - What is followed

  /// The person follows something: shown at once, whatever the backend answers.
  package mutating func follow(_ key: String) {
    if !followed.contains(key), followed.count < Self.mostFollowed { followed.append(key) }
    warned.removeAll { $0 == key }
    pending.removeAll { $0.followed == key }
  }

  package mutating func unfollow(_ key: String) {
    followed.removeAll { $0 == key }
    warned.removeAll { $0 == key }
    pending.removeAll { $0.followed == key }
  }

  /// The server's list is authoritative, except for changes it has not received yet.
  private mutating func reconcile(_ list: [JSONValue]) {
    let untold = (pending + waiting).compactMap(\.followed)
    var keys: [String] = followed.filter { untold.contains($0) }
    for key in list.prefix(Self.mostFollowed).compactMap({ $0.string ?? $0.integer.map(String.init) })
    where !untold.contains(key) && !keys.contains(key) {
      keys.append(key)
    }
    followed = keys
    warned.removeAll { !keys.contains($0) }
  }

  package mutating func warn(_ key: String) {
    if !warned.contains(key), warned.count < Self.mostFollowed { warned.append(key) }
  }

  /// Removes the warning: the Live Activity runs again.
  package mutating func trust(_ key: String) { warned.removeAll { $0 == key } }

  /// - Parameter canShow: whether Live Activities are allowed for the app.
  package func bell(_ key: String, canShow: Bool) -> BellIcon {
    guard followed.contains(key) else { return .empty }
    return warned.contains(key) || !canShow ? .filledWarning : .filled
  }
}
