import APNs
import Timeline
import WireFormats

@testable import Devices
@testable import Orders
@testable import Reporting
@testable import Scenarios
@testable import Simulation

/// Events of every kind, in groups: each differs from the first of its group in one field.
enum EventSamples {
  typealias Group = [WorldEvent]

  static let at = Stage.began
  static let later = at.advanced(by: .nanoseconds(1))
  private static let device = DeviceID(1)

  static func groups() throws -> [Group] {
    let fates = fates
    var groups = fates.map { group in group.map { fate in push { $0.fate = fate } } }
    groups += fates.map { $0.map { .pushSettled(number: 1, device, $0, at: at) } }
    groups += fates.map { $0.map { .broadcastReached(1, device, $0, at: at) } }
    groups += sent.map { group in group.map { sent in push { $0.sent = sent } } }
    groups += sent.map { $0.map { .answerSent(push: 1, $0, at: at) } }
    groups += deviceEvents.map { $0.map { .phone(device, app: 0, $0, at: at) } }
    groups += orders.map { $0.map { .wire(ProviderConnectionID(1), $0) } }
    for more in try [pushes, connections, channels(), calls(), ends(), plain] { groups += more }
    return groups
  }

  // MARK: - Pushes

  struct Push {
    var sequence: UInt64 = 1
    var now = Now(at)
    var stream = StreamID(ProviderConnectionID(1), 1)
    var environment = Environment.sandbox
    var id = NotificationID(bits: (1, 2))
    var uniqueID: NotificationID? = NotificationID(bits: (3, 4))
    var rejection: Rejection?
    var keyNumber: Int? = 0
    var address: Address? = makeAddress()
    var fate = Fate.refused
    var fault: String? = "f"
    var sent: SentAnswer?
  }

  static func push(_ change: (inout Push) -> Void = { _ in }) -> WorldEvent {
    var push = Push()
    change(&push)
    let examined = ParsedPush(HTTPRequest("POST", "/3/device/00", body: []), in: push.environment)
    return .push(
      PushRecord(
        .init(
          .init(sequence: push.sequence, at: push.now, stream: push.stream), push: examined,
          answer: PushAnswer(id: push.id, uniqueID: push.uniqueID, rejection: push.rejection),
          keyNumber: push.keyNumber,
          address: push.address, outcome: .init(fate: push.fate, fault: push.fault, sent: push.sent))))
  }

  static func makeAddress(
    _ slot: TokenSlot = .app, device: UInt32 = 1, app: Int = 0, generation: UInt32 = 0, isGiven: Bool = false
  ) -> Address { Address(device: DeviceID(device), app: app, slot: slot, generation: generation, isGiven: isGiven) }

  private static var pushes: [Group] {
    let rejection = Rejection(.unregistered, by: .deviceTokenRegistered, since: at)
    func rejected(_ rejection: Rejection?) -> WorldEvent {
      push {
        $0.rejection = rejection
        $0.uniqueID = nil
      }
    }
    func addressed(_ slots: [TokenSlot]) -> Group { slots.map { slot in push { $0.address = makeAddress(slot) } } }
    let rejections = [
      rejection, Rejection(.expiredToken, by: .deviceTokenRegistered, since: at),
      Rejection(.unregistered, by: .deviceTokenKnown, since: at), Rejection(.unregistered, by: nil, since: at),
      Rejection(.unregistered, by: .deviceTokenRegistered, since: later),
      Rejection(.unregistered, by: .deviceTokenRegistered),
    ]
    return [
      [
        push(), push { $0.sequence = 2 }, push { $0.now = Now(world: later, wall: at) },
        push { $0.now = Now(world: at, wall: later) }, push { $0.stream = StreamID(ProviderConnectionID(2), 1) },
        push { $0.stream = StreamID(ProviderConnectionID(1), 3) }, push { $0.environment = .production },
        push { $0.id = NotificationID(bits: (9, 2)) }, push { $0.uniqueID = NotificationID(bits: (9, 4)) },
        push { $0.uniqueID = nil }, push { $0.keyNumber = 1 }, push { $0.keyNumber = nil }, push { $0.fault = "g" },
        push { $0.fault = nil }, push { $0.address = nil }, push { $0.address = makeAddress(device: 2) },
        push { $0.address = makeAddress(app: 1) }, push { $0.address = makeAddress(generation: 1) },
        push { $0.address = makeAddress(isGiven: true) }, push { $0.address = makeAddress(.service(.voip)) },
        push { $0.sent = .answer(status: 200) },
      ], addressed([.service(.voip), .service(.widgets)]),
      addressed([.pushToStart(type: 0), .pushToStart(type: 1)]),
      addressed([.update(activity: 0), .update(activity: 1)]), rejections.map { rejected($0) },
      [rejected(nil), rejected(rejection)],
    ]
  }

  static let sent: [[SentAnswer]] = [
    [.answer(status: 200), .answer(status: 410)], [.malformed(status: 200), .malformed(status: 410)],
    [.incomplete(status: 200), .incomplete(status: 410)], [.reset(code: 7), .reset(code: 8)],
    SentAnswer.Wait.allCases.map { .pending($0) }, SentAnswer.Cause.allCases.map { .nothing($0) },
  ]

  private static func presentation(
    _ shape: Presentation.Shape = .banner, _ cause: PresentationCause = .shown,
    _ change: (inout Presentation) -> Void = { _ in }
  ) -> Fate {
    var shown = Presentation(shape, cause)
    shown.number = 1
    shown.replaced = 1
    shown.badge = 1
    shown.alert = RenderedAlert(title: "t", subtitle: "s", body: "b")
    shown.sound = NotificationSound()
    change(&shown)
    return .delivered(.notified(shown))
  }

  static var fates: [[Fate]] {
    let body = #"{"aps":{"content-state":{"score":1}}}"#
    let request = HTTPRequest("POST", "/", body: Array(body.utf8))
    let other = HTTPRequest("POST", "/", body: Array(body.replacing("1", with: "2").utf8))
    func shown(_ content: ActivityContent = .push(request), isStale: Bool = false) -> Reaction.Shown {
      Reaction.Shown(content: content, isStale: isStale)
    }
    let remarks = Remarks.noRuntime
    let now = at
    let updates: [Reaction] = [
      .updated(1, [], before: shown()), .updated(2, [], before: shown()), .updated(1, remarks, before: shown()),
      .updated(1, [], before: shown(isStale: true)), .updated(1, [], before: shown(.push(other))),
      .updated(1, [], before: shown(.none)),
    ]
    let ends: [Reaction] = [
      .ended(1, dismissal: now, [], before: shown()), .ended(2, dismissal: now, [], before: shown()),
      .ended(1, dismissal: later, [], before: shown()), .ended(1, dismissal: now, remarks, before: shown()),
      .ended(1, dismissal: now, [], before: shown(isStale: true)),
      .ended(1, dismissal: now, [], before: shown(.push(other))), .ended(1, dismissal: now, [], before: shown(.none)),
    ]
    let contents: [ActivityContent] = [.local(["score": 1]), .local(["score": 2])]
    var delivered = reactions + [updates, ends]
    delivered.append(contents.map { .updated(1, [], before: shown($0)) })
    delivered.append(contents.map { .ended(1, dismissal: now, [], before: shown($0)) })
    var fates: [[Fate]] = delivered.map { list in list.map { .delivered($0) } }
    fates.append(reactions[0].map { .deliveredFromStorage($0) })
    fates.append(presentations)
    fates.append(Fate.Discard.allCases.map { .discarded($0) })
    fates.append(Fate.Discard.allCases.map { .discardedFromStorage($0) })
    fates.append([.discarded(.appAbsent), .discardedFromStorage(.appAbsent)])
    fates.append([
      .stored(.power(.lowPower, until: now)), .stored(.power(.lowPower, until: later)),
      .stored(.power(.throttled, until: now)),
    ])
    fates.append([.stored(.offline), .stored(.power(.lowPower, until: now))])
    fates.append([.refused, .stored(.offline)])
    fates.append([.stored(.power(.lowPower, until: now)), .onTheWay(.late, until: now)])
    fates.append(
      Fate.Passage.allCases.map { .onTheWay($0, until: now) } + [.onTheWay(Fate.Passage.allCases[0], until: later)])
    return fates
  }

  private static var presentations: [Fate] {
    [
      presentation(), presentation { $0.number = 2 }, presentation { $0.number = nil },
      presentation { $0.replaced = 2 }, presentation { $0.replaced = nil }, presentation { $0.badge = 0 },
      presentation { $0.badge = nil }, presentation { $0.cleared = 2 },
      presentation { $0.remarks = PayloadRemarks(readingBooleans: false) }, presentation { $0.lightsScreen = true },
      presentation { $0.alert = nil },
      presentation { $0.sound = nil }, presentation { $0.sound = NotificationSound("horn") },
      presentation { $0.sound = NotificationSound(isCritical: true) },
      presentation { $0.sound = NotificationSound(volume: 0.5) },
      presentation { $0.alert = RenderedAlert(title: "T", subtitle: "s", body: "b") },
      presentation { $0.alert = RenderedAlert(title: "t", subtitle: "S", body: "b") },
      presentation { $0.alert = RenderedAlert(title: "t", subtitle: "s", body: "B") },
      presentation(.listOnly), presentation(.banner, .critical), presentation { $0.passage = .ranOut },
    ]
  }

  private static var reactions: [[Reaction]] {
    [
      [.started(1, []), .started(2, []), .started(1, .noRuntime)],
      [.held(.budget, until: at), .held(.lowPriority, until: at), .held(.budget, until: later)],
      [
        .dropped(.notJSON, detail: .words("a")), .dropped(.notJSON, detail: .words("b")),
        .dropped(.notJSON, detail: nil), .dropped(.activitiesOff, detail: .words("a")),
      ],
      [
        .dropped(.staleTimestamp, detail: .stale(1, after: 2, of: 3)),
        .dropped(.staleTimestamp, detail: .stale(1.5, after: 2, of: 3)),
        .dropped(.staleTimestamp, detail: .stale(1, after: 2.5, of: 3)),
        .dropped(.staleTimestamp, detail: .stale(1, after: 2, of: 4)),
        .dropped(.staleTimestamp, detail: .stale(1, after: 2, of: nil)),
        .dropped(.unknownEvent, detail: .stale(1, after: 2, of: 3)),
      ],
      [.background(.woken(until: at)), .background(.woken(until: later))],
      [.background(.deliveredToRunning), .background(.notWoken)],
      [
        .background(.held(.lowPower, until: at)), .background(.held(.forceQuit, until: at)),
        .background(.held(.lowPower, until: later)), .background(.held(.lowPower, until: nil)),
      ], WakeCause.allCases.map { .background(.discarded($0)) },
      [.call(.rang(launched: true)), .call(.rang(launched: false))],
      [.call(.killed(failures: 1)), .call(.killed(failures: 2))],
      [
        .call(.reportedLate(after: .seconds(3), failures: 1)), .call(.reportedLate(after: .seconds(3), failures: 2)),
        .call(.reportedLate(after: .seconds(4), failures: 1)),
      ],
      [.call(.killedAndStopped(until: at)), .call(.killedAndStopped(until: later))],
      [.call(.notDelivered(until: at)), .call(.notDelivered(until: later))],
      ServiceReaction.allCases.map { .service($0) },
    ]
  }

  // MARK: - Phones

  static var deviceEvents: [[DeviceEvent]] {
    let slots: [[TokenSlot]] = [
      [.app, .service(.voip)], [.service(.voip), .service(.widgets)], [.pushToStart(type: 0), .pushToStart(type: 1)],
      [.update(activity: 0), .update(activity: 1)],
    ]
    let ofSlots: [(TokenSlot) -> DeviceEvent] = [
      { .tokenIssued($0) }, { .tokenRegistered($0) }, { .tokenYielded($0) }, { .tokenDied($0) },
    ]
    let ofActivities: [(UInt32) -> DeviceEvent] = [
      { .activityStarted($0, .push) }, { .activityScheduled($0) }, { .promptShown($0) },
      { .promptAnswered($0, allowed: true) }, { .activityStale($0) }, { .activityEnded($0, .push) },
      { .activityDismissed($0) }, { .cardOpened($0) }, { .cardTapped($0) },
      { .cardButtonPressed($0, button: 1) }, { .notificationButtonPressed($0, button: 1) },
      { .notificationAnswered($0) },
      { .activityYielded($0) }, { .activityStateYielded($0, .active) },
      { .contentYielded($0) }, { .contentForgotten($0) }, { .notificationYielded($0) }, { .notificationTapped($0) },
      { .notificationForgotten($0) }, { .backgroundPushYielded(UInt64($0)) },
    ]
    let plain: [DeviceEvent] = [
      .appInstalled, .appUpdated, .appRemoved, .appForegrounded, .appBackgrounded, .appSuspended,
      .notificationsCleared, .wentOffline, .wentOnline, .locked, .unlocked, .screenLit, .screenDark, .rebooted,
      .restored,
    ]
    let rest: [[DeviceEvent]] = [
      [.activityStarted(1, .push), .activityStarted(1, .fleet)],
      [.promptAnswered(1, allowed: true), .promptAnswered(1, allowed: false)],
      [.activityEnded(1, .push), .activityEnded(1, .user)],
      [.cardButtonPressed(1, button: 0), .cardButtonPressed(1, button: 1)],
      [.notificationButtonPressed(1, button: 0), .notificationButtonPressed(1, button: 1)],
      LiveActivity.State.allCases.map { .activityStateYielded(1, $0) },
      AuthorizationError.allCases.map { .activityRefused($0) },
      [
        .activityRefused(.persistenceFailure, isChannelUnknown: true),
        .activityRefused(.persistenceFailure, isChannelUnknown: false),
      ], [.enablementYielded(true), .enablementYielded(false)],
      [.frequentPushesYielded(true), .frequentPushesYielded(false)], [.appLaunched(.byPerson), .appLaunched(.byCall)],
      AppLifecycle.allCases.map { .appTerminated($0) }, NotificationPermission.allCases.map { .permissionChanged($0) },
      PhoneSwitch.allCases.map { .switched($0, isOn: true) },
      [.switched(.lowPower, isOn: true), .switched(.lowPower, isOn: false)],
      [
        .pushArrivedAgain(1, .dropped(.staleTimestamp)), .pushArrivedAgain(2, .dropped(.staleTimestamp)),
        .pushArrivedAgain(nil, .dropped(.staleTimestamp)), .pushArrivedAgain(1, .dropped(.noAPS)),
      ],
      [
        .pushArrivedAgain(1, .call(.rang(launched: true))), .pushArrivedAgain(1, .call(.rang(launched: false))),
      ],
      [.clockSet(.seconds(1)), .clockSet(.seconds(1) + .nanoseconds(1)), .clockSet(.seconds(-1))],
      [.systemUpdated(OSVersion(18, 0)), .systemUpdated(OSVersion(26, 0)), .systemUpdated(OSVersion(18, 1))],
    ]
    var groups = rest
    for make in ofSlots { groups += slots.map { $0.map(make) } }
    for make in ofActivities { groups.append([make(1), make(2)]) }
    groups.append(plain)
    return groups
  }
}
