import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

/// Conditions that hold after every call, whatever was called before.
struct Invariants {
  private struct Key: Hashable {
    let device: UInt32
    let app: Int
    let activity: UInt32
  }

  private struct Push {
    let content: RandomDays.Content
    let address: Address?
    var isFinal: Bool
  }

  private struct Applied {
    var timestamp: Double
    var number: Int64?
  }

  let seed: UInt64
  private var pushes: [UInt64: Push] = [:]
  private var applied: [Key: Applied] = [:]
  /// The timestamp with which each content was applied.
  private var timestamps: [Int64: Double] = [:]
  private var drawn: [Key: Double] = [:]
  private var onScreen: [UInt32: Set<Key>] = [:]
  private var gone: Set<Key> = []
  /// The times at which starts by push reached a phone, by device and app.
  private var starts: [[Int]: [Instant]] = [:]
  private(set) var reasons: Set<String> = []

  init(seed: UInt64) { self.seed = seed }

  var unsettled: [UInt64] { pushes.filter { !$0.value.isFinal }.keys.sorted() }

  /// Checks the events of a step.
  mutating func read(_ events: [WorldEvent], after days: RandomDays) {
    var arrived: PushRecord?
    for event in events {
      switch event {
      case .push(let record):
        arrived = record
        let content = days.sent.map { $0.content } ?? .init(timestamp: nil, number: nil)
        note(record, content)
      case .pushSettled(let number, _, let fate, let at): settle(number, fate, at: at)
      case .phone(let device, let app?, .activityDismissed(let activity), _):
        gone.insert(Key(device: device.number, app: app, activity: activity))
      case .phone(let device, let app?, .activityStarted(let activity, .command), let at):
        applied[Key(device: device.number, app: app, activity: activity)] = Applied(timestamp: Double(at.seconds))
      default: break
      }
    }
    // What was held before it and what it brought about is told after it: it has had its turn last.
    if let arrived { carry(out: arrived.firstFate, of: arrived.sequence, at: arrived.at.world) }
    if let own = days.updated {
      let key = Key(device: own.device, app: own.app, activity: own.activity)
      let before = applied[key]?.timestamp ?? 0
      if let timestamp = own.content.timestamp { #expect(timestamp > before, "seed \(seed): an older own update") }
      let timestamp = max(before, own.content.timestamp ?? Double(days.stage.now.world.seconds))
      note(own.content, at: timestamp, key)
    }
    look(at: days.stage, days.devices)
  }

  private mutating func note(_ record: PushRecord, _ content: RandomDays.Content) {
    guard record.answer.rejection == nil else {
      #expect(record.firstFate == .refused, "seed \(seed), push \(record.sequence)")
      reasons.insert(record.reason?.rawValue ?? "")
      return
    }
    #expect(record.firstFate != .refused, "seed \(seed), push \(record.sequence)")
    pushes[record.sequence] = Push(content: content, address: record.address, isFinal: record.firstFate.isFinal)
    if case .discarded(let cause) = record.firstFate { reasons.insert(cause.rawValue) }
  }

  private mutating func settle(_ number: UInt64, _ fate: Fate, at: Instant) {
    guard let push = pushes[number] else {
      Issue.record("seed \(seed): push \(number) settles before it was accepted: \(fate.words)")
      return
    }
    #expect(!push.isFinal, "seed \(seed): push \(number) has a second last word: \(EventLine.of(fate))")
    pushes[number]?.isFinal = fate.isFinal
    carry(out: fate, of: number, at: at)
  }

  /// Records the content that the phone has applied, according to a fate.
  private mutating func carry(out fate: Fate, of number: UInt64, at: Instant) {
    reasons.insert(fate.words)
    if let cause = fate.cause { reasons.insert(cause.rawValue) }
    guard let push = pushes[number], let address = push.address, let reaction = fate.reaction else { return }
    if case .pushToStart = address.slot {
      starts[[Int(address.device.number), address.app], default: []].append(at)
    }
    let activity: UInt32
    var isStart = false
    switch reaction {
    case .started(let started, _): (activity, isStart) = (started, true)
    case .updated(let updated, _, _): activity = updated
    case .ended(let ended, _, _, _): activity = ended
    default: return
    }
    reasons.insert(isStart ? "started" : "applied")
    let key = Key(device: address.device.number, app: address.app, activity: activity)
    guard let timestamp = push.content.timestamp else {
      Issue.record("seed \(seed): push \(number) was applied without a timestamp")
      return
    }
    if let before = applied[key] {
      #expect(!isStart, "seed \(seed): activity \(key) starts twice")
      #expect(timestamp > before.timestamp, "seed \(seed): push \(number) is older than what was applied")
    }
    note(push.content, at: timestamp, key)
  }

  private mutating func note(_ content: RandomDays.Content, at timestamp: Double, _ key: Key) {
    if let number = content.number { timestamps[number] = timestamp }
    applied[key] = Applied(timestamp: timestamp, number: content.keeps ? applied[key]?.number : content.number)
  }

  // MARK: - What is seen

  private mutating func look(at stage: Stage, _ devices: UInt32) {
    for device in 0..<devices {
      guard let view = stage.world.device(DeviceID(device), at: stage.now.world) else { continue }
      // Between a reboot and the first unlock no card is drawn; they are back after it.
      guard !view.condition.contains(.beforeFirstUnlock) else { continue }
      let screen = stage.screen(device)
      let keys = screen.cards.map { Key(device: device, app: $0.app, activity: $0.number) }
      #expect(Set(keys).count == keys.count, "seed \(seed): two cards for one activity")
      #expect(gone.isDisjoint(with: keys), "seed \(seed): a dismissed card is back")
      gone.formUnion((onScreen[device] ?? []).subtracting(keys))
      onScreen[device] = Set(keys)
      for (card, key) in zip(screen.cards, keys) { look(at: card, key) }
      look(at: screen)
      for (app, install) in view.apps.enumerated() {
        for left in install.activities.compactMap(\.budgetLeft) {
          #expect((0...360).contains(left), "seed \(seed): \(left) updates left")
        }
        // Each start that arrives costs one and no more, refused ones included, and a day later all is forgotten.
        let recent = (starts[[Int(device), app]] ?? []).count { stage.now.world < $0.advanced(by: .seconds(86_400)) }
        #expect((10 - recent...10).contains(install.startsLeft), "seed \(seed): \(install.startsLeft) of \(recent)")
      }
    }
  }

  private mutating func look(at card: Screen.Card, _ key: Key) {
    let truth = (card.coming == nil ? card.content : card.coming?.content)?["n"]?.integer
    #expect(truth == applied[key]?.number, "seed \(seed): \(key) holds another content than the newest applied")
    guard let shown = card.content?["n"]?.integer, let timestamp = timestamps[shown] else { return }
    #expect(timestamp <= applied[key]?.timestamp ?? 0, "seed \(seed): \(key) shows what was not applied")
    #expect(timestamp >= drawn[key] ?? 0, "seed \(seed): \(key) shows something older than before")
    drawn[key] = timestamp
  }

  private func look(at screen: Screen) {
    for pair in zip(screen.cards, screen.cards.dropFirst()) {
      #expect(pair.0.relevance >= pair.1.relevance, "seed \(seed): the order of the Lock Screen")
    }
    #expect(!screen.cards.contains { $0.state == .dismissed || $0.state == .scheduled }, "seed \(seed)")
    let inIsland: [Screen.Card] =
      switch screen.island {
      case .absent, .empty: []
      case .compact(let card), .expanded(let card): [card]
      case .minimal(let cards): cards
      case .mixed(let first, let second): [first, second]
      }
    let ids = Set(screen.cards.map(\.id))
    #expect(inIsland.allSatisfy { ids.contains($0.id) }, "seed \(seed): the island shows what has no card")
    if let alert = screen.alert { #expect(ids.contains(alert.card), "seed \(seed): an alert without a card") }
  }
}
