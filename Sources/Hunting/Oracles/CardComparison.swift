import APNs
import Devices
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Compares the cards of a variant with those of the plain play; see `LastStateLost`.
struct CardComparison {
  /// Something that a card lacks, and the backend's part in it.
  struct Loss {
    /// The words that such losses have in common.
    let subject: String
    /// The example in words.
    let words: String
    /// The token of the card, if it has one.
    let token: String?
    let expectation: JSONValue
    /// The card of the example without trouble and with it, a line for each thing that happened.
    var timeline: [String] = []
  }

  let variant: Witness
  let plain: Witness
  /// The values that the backend has sent to somebody in the variant, by path.
  private let sent: [Leaves.Path: Set<JSONValue>]
  private let isToldByCalls: Bool

  init(_ variant: Witness, plain: Witness) {
    self.variant = variant
    self.plain = plain
    var sent: [Leaves.Path: Set<JSONValue>] = [:]
    for push in variant.pushes {
      for (path, value) in Leaves(push.content, near: variant.end).values { sent[path, default: []].insert(value) }
    }
    for broadcast in variant.broadcasts {
      let content = Leaves(broadcast.content, near: variant.end)
      for (path, value) in content.values { sent[path, default: []].insert(value) }
    }
    self.sent = sent
    isToldByCalls = variant.faults.contains { fault in if case .reports = fault.consequence { true } else { false } }
  }

  func losses(of install: WitnessedInstall, _ old: WitnessedInstall) -> [Loss] {
    var losses: [Loss] = []
    for (subject, wanted) in Dictionary(grouping: old.cards, by: \.subject).sorted(by: { $0.key < $1.key }) {
      let found = install.cards.filter { $0.subject == subject }
      guard found.count <= wanted.count else { continue }
      let (cards, wishes) = withoutEqual(
        found.sorted { $0.number < $1.number }, wanted.sorted { $0.number < $1.number })
      // Of two cards about one thing, nobody knows which is which, as they may be started in another order.
      let candidates = found.filter { card in cards.contains { isLike($0, card) } }
      for (place, wish) in wishes.enumerated() {
        guard place < cards.count else {
          losses += [missing(wish, on: install)].compactMap(\.self)
          continue
        }
        guard let loss = loss(cards[place], wish), candidates.allSatisfy({ self.loss($0, wish) != nil }) else {
          continue
        }
        losses.append(loss)
      }
    }
    return losses
  }

  /// Returns the cards and wishes that are left when equal ones are taken for each other, first of all those of one
  /// place. There are not more cards than wishes.
  private func withoutEqual(
    _ found: [WitnessedCard], _ wanted: [WitnessedCard]
  ) -> (cards: [WitnessedCard], wishes: [WitnessedCard]) {
    var (cards, wishes) = (found, wanted)
    for place in found.indices.reversed() where shows(found[place], asMuchAs: wanted[place]) {
      cards.remove(at: place)
      wishes.remove(at: place)
    }
    wishes.removeAll { wish in
      guard let equal = cards.firstIndex(where: { shows($0, asMuchAs: wish) }) else { return false }
      cards.remove(at: equal)
      return true
    }
    return (cards, wishes)
  }

  private func shows(_ card: WitnessedCard, asMuchAs wish: WitnessedCard) -> Bool {
    card.isRunning == wish.isRunning
      && Leaves(card.content, near: variant.end) == Leaves(wish.content, near: plain.end)
  }

  /// True if two cards of the variant show the same.
  private func isLike(_ card: WitnessedCard, _ other: WitnessedCard) -> Bool {
    card.isRunning == other.isRunning
      && Leaves(card.content, near: variant.end) == Leaves(other.content, near: variant.end)
  }

  // MARK: - A card that is there

  private func loss(_ card: WitnessedCard, _ wish: WitnessedCard) -> Loss? {
    let (mine, theirs) = (variant.pushes(about: card), plain.pushes(about: wish))
    guard !card.isLocal, !wish.isLocal else { return nil }
    if card.channel != nil { return lostBroadcast(card, wish) }
    guard !theirs.isEmpty else { return nil }
    if wish.isOver {
      guard theirs.contains(where: { $0.isEnd && $0.mayBeTaken }) else { return nil }
      if card.isRunning { return lostEnd(of: card, wish, mine, plain: theirs) }
      guard mine.contains(where: { $0.record.fate.outcome == "ended" }) else { return nil }
    } else if !card.isRunning {
      return nil
    }
    return lostContent(card, wish, pushes: mine, plain: theirs)
  }

  private func lostEnd(
    of card: WitnessedCard, _ wish: WitnessedCard, _ mine: [WitnessedPush], plain theirs: [WitnessedPush]
  ) -> Loss? {
    guard mayStillPush(card), !mine.contains(where: { $0.isEnd && didItsPart($0, of: card) }),
      let end = theirs.last(where: \.isEnd)
    else { return nil }
    var loss = loss(
      card, attempts: mine.filter(\.isEnd), all: mine, missed: end, shows: "the card still runs",
      expectation: endedExpectation(card, wish))
    loss?.timeline = timeline(of: card, after: mine, plain: wish, after: theirs)
    return loss
  }

  private func lostContent(
    _ card: WitnessedCard, _ wish: WitnessedCard, pushes mine: [WitnessedPush], plain theirs: [WitnessedPush]
  ) -> Loss? {
    let past = theirs.filter(\.mayBeTaken).compactMap(\.content)
    let behind = behind(card, wish, past: past)
    guard !behind.isEmpty, let missed = theirs.last(where: { has(behind, $0.content) }) else { return nil }
    let attempts = mine.filter { has(behind, $0.content) }
    let last = mine.last { $0.mayBeTaken && $0.content != nil }
    // Trouble may have let a joined update go a little earlier than the last one without it.
    let isUpToDate = last.map {
      plain.passed(at: missed.at) <= variant.passed(at: $0.at) + LastStateLost.patience
    }
    let isOnlyCounted = Self.isOnlyCounted(behind, in: past.map { Leaves($0, near: plain.end) })
    if attempts.isEmpty, isUpToDate ?? false, isOnlyCounted { return nil }
    let done = attempts.filter { didItsPart($0, of: card) }
    let words = words(behind, on: card)
    let expectation = expectation(card, lacking: behind)
    if let last = done.last {
      guard let overwriting = overwriting(done, lacking: behind, mine) else { return nil }
      return Loss(
        subject: "\(overwriting.noun) without the last content overwrites it",
        words: "\(card.install.device.text): \(last.words(since: variant.began)); then"
          + " \(overwriting.words(since: variant.began)); \(words)", token: card.token, expectation: expectation)
    }
    guard card.isOver || mayStillPush(card) else { return nil }
    var loss = loss(card, attempts: attempts, all: mine, missed: missed, shows: words, expectation: expectation)
    loss?.timeline = timeline(of: card, after: mine, plain: wish, after: theirs)
    return loss
  }

  /// Number of pushes of a timeline.
  private static let latest = 3

  private func timeline(
    of card: WitnessedCard, after mine: [WitnessedPush], plain wish: WitnessedCard, after theirs: [WitnessedPush]
  ) -> [String] {
    func lines(_ name: String, of card: WitnessedCard, _ pushes: [WitnessedPush], since began: Instant) -> [String] {
      let sent = pushes.suffix(Self.latest).map { push in
        "  \(push.words(since: began))" + (push.record.fault.map { ", struck by \($0)" } ?? "")
      }
      return ["\(card.install.device.text) \(name):"] + sent
        + ["  the card is \(card.state.rawValue) and shows \((card.content ?? .null).text)"]
    }
    return lines("without trouble", of: wish, theirs, since: plain.began)
      + lines("with it", of: card, mine, since: variant.began)
  }

  /// The values that a card lacks, and in whose place it shows what the plain card has shown before.
  ///
  /// - Parameter past: contents that the plain card has shown.
  func behind(_ card: WitnessedCard, _ wish: WitnessedCard, past: [JSONValue]) -> Leaves {
    let (shown, wanted) = (Leaves(card.content, near: variant.end), Leaves(wish.content, near: plain.end))
    let past = past.map { Leaves($0, near: plain.end) }
    return wanted.filtered { path, value in
      let mine = shown[path]
      return mine != value && past.contains { $0[path] == mine }
        && (!isToldByCalls || sent[path]?.contains(value) ?? false)
    }
  }

  /// True if a card lacks nothing but numbers that count its pushes, as a revision does: who joins two updates has sent
  /// fewer.
  ///
  /// - Parameter contents: of the pushes of the plain play, oldest first.
  static func isOnlyCounted(_ behind: Leaves, in contents: [Leaves]) -> Bool {
    func values(_ path: Leaves.Path) -> [JSONValue] { contents.compactMap { $0[path] } }
    let areCounters = behind.values.keys.allSatisfy { path in
      let numbers = values(path).compactMap { $0.integer ?? $0.string.flatMap { Int64($0) } }
      return numbers.count == contents.count && numbers.count > 2
        && zip(numbers, numbers.dropFirst()).allSatisfy { $0 &+ 1 == $1 }
    }
    let paths = Set(contents.flatMap(\.values.keys))
    return areCounters && paths.contains { behind[$0] == nil && Set(values($0)).count > 1 }
  }

  func has(_ leaves: Leaves, _ content: JSONValue?) -> Bool {
    let content = Leaves(content, near: variant.end)
    return leaves.values.allSatisfy { content[$0.key] == $0.value }
  }

  func words(_ behind: Leaves, on card: WitnessedCard) -> String {
    let shown = Leaves(card.content, near: variant.end)
    let shows = behind.sorted.map { path, value in
      "\(path.joined(separator: ".")) \(shown[path]?.text ?? "–"), not \(value.text)"
    }
    return "the card shows \(shows.joined(separator: ", "))"
  }

  /// True if APNs has taken a push, the backend may know it, and it did not know of a newer token.
  private func didItsPart(_ push: WitnessedPush, of card: WitnessedCard) -> Bool {
    guard push.mayBeTaken else { return false }
    guard let token = card.token, push.token != token, !push.isStart,
      let told = variant.reports(of: token).first?.ended
    else { return true }
    return push.at <= told.advanced(by: .seconds(1))
  }

  /// A push without that content that has overwritten every push that had it; nil if one was not overwritten.
  private func overwriting(
    _ done: [WitnessedPush], lacking leaves: Leaves, _ mine: [WitnessedPush]
  ) -> WitnessedPush? {
    guard done.allSatisfy({ $0.record.fate == .discarded(.overwritten) }), let last = done.last else { return nil }
    return mine.first { $0.record.sequence > last.record.sequence && $0.mayBeTaken && !has(leaves, $0.content) }
  }

  /// True if a backend knows where to send what the card lacks, and has had the time for it.
  private func mayStillPush(_ card: WitnessedCard) -> Bool {
    guard let token = card.token, let known = variant.known(token), !variant.mayForget(token, of: card.install) else {
      return false
    }
    let last = variant.pushes(to: token).last?.at ?? known
    return max(known, last).advanced(by: LastStateLost.patience) <= variant.end
  }

  // MARK: - A card that was never started

  private func missing(_ wish: WitnessedCard, on install: WitnessedInstall) -> Loss? {
    guard wish.isRunning, wish.origin == .push, let token = install.startTokens[wish.type],
      let known = variant.known(token), !variant.mayForget(token, of: install.id),
      let missed = plain.pushes(about: wish).first(where: \.isStart)
    else { return nil }
    let starts = variant.pushes.filter { push in
      push.isStart && push.install == install.id && push.aps?["attributes-type"]?.string == wish.typeName
    }
    let told = variant.reports(of: token).first?.ended ?? known
    let isDone = starts.contains { $0.mayBeTaken && ($0.token == token || $0.at <= told) }
    let last = max(
      plain.passed(at: missed.at), variant.passed(at: known), variant.passed(at: starts.last?.at ?? known))
    guard !isDone, !LastStateLost.mayGiveUp(starts, in: variant),
      !variant.reaches(install.user, elsewhere: missed.alert, than: plain),
      last + LastStateLost.startPatience <= variant.passed(at: variant.end)
    else { return nil }
    func loss(_ subject: String, _ words: String) -> Loss {
      Loss(
        subject: subject, words: "\(install.id.device.text) has no card\(words)", token: nil,
        expectation: Expect.screen(of: install.id.device, "has its card", shows: [.init("cards", .string("1.."))]))
    }
    guard let start = starts.last else {
      guard !variant.mayOweLess(to: install.user, than: plain) else { return nil }
      let at = DurationText.write(plain.passed(at: missed.at))
      return loss("a start is never sent", ", which is started at \(at) otherwise")
    }
    let given = start.at.advanced(by: variant.retryPatience(atLeast: LastStateLost.startPatience))
    let isWanted = start.record.push.expiration.map { given <= $0 } ?? true
    guard isWanted, !variant.mayBeSettled(for: install.user, after: starts[0].at, until: given) else { return nil }
    let words = ": \(start.words(since: variant.began))"
    if let trouble = variant.trouble(of: starts) { return loss("a start \(trouble) is never sent again", words) }
    let isReplaced = start.mayBeTaken && start.token != token
    return isReplaced ? loss("a start goes to a token that the app has replaced", words) : nil
  }

  // MARK: - Words

  /// The card has ended, and those that have ended here; or an end was pushed, if nobody sees the card any more.
  func endedExpectation(_ card: WitnessedCard, _ wish: WitnessedCard) -> JSONValue {
    guard wish.state == .dismissed, card.channel == nil else {
      return expectation(card, shows: ["state": "ended"]) { $0.state == .ended }
    }
    let ends = variant.pushes.count { $0.isEnd && $0.status == 200 }
    return [
      "name": "everybody gets the end", "pushes": ["event": "end", "status": 200], "count": .string("\(ends + 1).."),
    ]
  }

  /// The card shows these values, and those that show them here.
  func expectation(_ card: WitnessedCard, lacking behind: Leaves) -> JSONValue {
    expectation(card, shows: ["contentState": behind.json]) { has(behind, $0.content) }
  }

  /// In another play, the same trouble may strike another phone.
  private func expectation(
    _ card: WitnessedCard, shows wanted: JSONValue, where holds: (WitnessedCard) -> Bool
  ) -> JSONValue {
    let others = variant.installs.filter { $0.cards.contains(where: holds) }.map(\.id.device)
    let devices = Set(others + [card.install.device]).sorted { $0.number < $1.number }.prefix(Self.mostExpected)
    return [
      "name": "everybody sees the last state",
      "screens": ["devices": .array(devices.map { .string($0.text) })], "show": ["card": wanted],
    ]
  }

  private static let mostExpected = 1000

  /// - Parameters:
  ///   - attempts: pushes with what is missing.
  ///   - all: all pushes about the card.
  ///   - missed: the push of the plain play that brought it.
  private func loss(
    _ card: WitnessedCard, attempts: [WitnessedPush], all: [WitnessedPush], missed: WitnessedPush, shows: String,
    expectation: JSONValue
  ) -> Loss? {
    func loss(_ subject: String, _ cause: String) -> Loss {
      Loss(
        subject: subject, words: "\(card.install.device.text): \(cause); \(shows)", token: card.token,
        expectation: expectation)
    }
    // After a 410 a backend may wait for the app, even if the token lives (`tokenForgotten` judges what follows).
    let since = attempts.first.map { first in all.filter { $0.record.sequence >= first.record.sequence } } ?? []
    guard !LastStateLost.mayGiveUp(since, in: variant), attempts.last?.status != 410,
      let user = variant[card.install]?.user
    else {
      return nil
    }
    if let first = attempts.first, let last = attempts.last {
      let given = last.at.advanced(by: variant.retryPatience(atLeast: LastStateLost.patience))
      guard !variant.mayBeSettled(for: user, after: first.at, until: given) else { return nil }
      let words = last.words(since: variant.began)
      if let trouble = variant.trouble(of: attempts) {
        return loss("\(last.noun) \(trouble) is never sent again", words)
      }
      return last.mayBeTaken ? loss("\(last.noun) goes to a token that the app has replaced", words) : nil
    }
    let at = DurationText.write(plain.passed(at: missed.at))
    if let told = card.token.flatMap({ variant.reports(of: $0).first?.ended }),
      plain.passed(at: missed.at) < variant.passed(at: told)
    {
      return loss(
        "what changed before the update token came is never sent",
        "the token came at \(DurationText.write(variant.passed(at: told))), the change at \(at)")
    }
    if let last = all.last, let trouble = last.trouble {
      return loss("nothing follows \(last.noun) \(trouble)", last.words(since: variant.began))
    }
    if let restart = variant.restarts.last(where: { $0.order != .start }) {
      return loss("\(missed.noun) is missing after the backend's \(restart.order.rawValue)", "missing since \(at)")
    }
    guard !variant.mayOweLess(to: user, than: plain) else { return nil }
    return loss("\(missed.noun) is never sent", "without trouble it comes at \(at)")
  }
}
