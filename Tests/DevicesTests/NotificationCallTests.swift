import APNs
import Devices
import Testing
import Timeline
import WireFormats

@Suite("VoIP pushes and other services")
struct NotificationCallTests {
  private let plan = VoIPCallPlan()
  private static let day: Duration = .seconds(24 * 3600)

  private func after(_ duration: Duration) -> Instant { NotificationPhone.began.advanced(by: duration) }

  private func fail(_ calls: inout VoIPCallReports, _ plan: VoIPCallPlan? = nil, after delay: Duration = .zero)
    -> VoIPCallReports.Outcome
  { calls.receive(reporting: .never, .suspended, plan ?? self.plan, at: after(delay)) }

  @Test("the phone rings, and the app is launched where it does not run, even after a force-quit")
  func rings() {
    var calls = VoIPCallReports()
    for process in AppProcess.allCases {
      let launched = process == .terminated || process == .forceQuit
      #expect(calls.receive(reporting: .atOnce, process, plan, at: after(.zero)) == .rang(launched: launched))
    }
    #expect(calls == VoIPCallReports())
  }

  @Test("an app that reports no call is killed; after the third time in a day it gets no more pushes")
  func stops() {
    var calls = VoIPCallReports()
    #expect(fail(&calls) == .killed(failures: 1))
    #expect(calls.receive(reporting: .atOnce, .suspended, plan, at: after(.seconds(1))) == .rang(launched: false))
    #expect(fail(&calls, after: .seconds(2)) == .killed(failures: 2))
    #expect(calls.status(at: after(.seconds(3))) == .warned(failures: 2, until: after(Self.day)))
    #expect(fail(&calls, after: Self.day - .nanoseconds(1)) == .killedAndStopped(until: .distantFuture))
    let later = calls.receive(reporting: .atOnce, .foreground, plan, at: after(Self.day * 400))
    #expect(later == .notDelivered(until: .distantFuture))
  }

  @Test("a late report does not save an app, and counts as none")
  func late() {
    var calls = VoIPCallReports()
    func push() -> VoIPCallReports.Outcome {
      calls.receive(reporting: .late(.seconds(3)), .suspended, plan, at: after(.zero))
    }
    #expect(push() == .reportedLate(after: .seconds(3), failures: 1))
    #expect(fail(&calls) == .killed(failures: 2))
    #expect(push() == .killedAndStopped(until: .distantFuture))
  }

  @Test("a day after the first failure all are forgotten")
  func forgets() {
    var calls = VoIPCallReports()
    for delay in [Duration.zero, .seconds(60)] { _ = fail(&calls, after: delay) }
    #expect(calls.status(at: after(Self.day)) == .trusted)
    #expect(fail(&calls, after: Self.day) == .killed(failures: 1))
  }

  @Test("a plan may restore the pushes, or stop them at the first failure")
  func plans() {
    var strict = plan
    strict.failures = 0
    strict.stopsFor = .seconds(100)
    var calls = VoIPCallReports()
    let until = after(.seconds(100))
    #expect(fail(&calls, strict) == .killedAndStopped(until: until))
    #expect(fail(&calls, strict, after: .seconds(99)) == .notDelivered(until: until))
    #expect(calls.receive(reporting: .atOnce, .suspended, strict, at: until) == .rang(launched: false))
  }

  @Test("each outcome has its own name, sentence and evidence")
  func words() {
    let outcomes: [VoIPCallReports.Outcome] = [
      .rang(launched: false), .killed(failures: 1), .killedAndStopped(until: .distantFuture),
      .notDelivered(until: .distantFuture), .reportedLate(after: .seconds(3), failures: 1),
    ]
    #expect(Set(outcomes.map(\.name)).count == 5 && Set(outcomes.map(\.sentence)).count == 5)
    #expect(outcomes.allSatisfy { !$0.evidence.source.isEmpty })
  }

  @Test(
    "A push of another service has the reaction of its type",
    arguments: [
      (PushType.alert, OSVersion(26, 0), nil), (.background, OSVersion(26, 0), nil),
      (.liveactivity, OSVersion(26, 0), nil), (.voip, OSVersion(26, 0), nil),
      (.location, OSVersion(16, 0), .extensionRuns), (.widgets, OSVersion(18, 6), .osTooOld),
      (.widgets, OSVersion(26, 0), .reloadHint), (.controls, OSVersion(17, 6), .osTooOld),
      (.controls, OSVersion(18, 0), .reloadHint), (.pushtotalk, OSVersion(18, 0), .needsJoin),
      (.complication, OSVersion(16, 0), .acceptedNoUI), (.fileprovider, OSVersion(16, 0), .noContainer),
      (.mdm, OSVersion(16, 0), .noPushMagic),
    ] as [(PushType, OSVersion, ServiceReaction?)])
  func services(type: PushType, os: OSVersion, reaction: ServiceReaction?) throws {
    #expect(try self.reaction(type, ServiceContext(os: os), #"{"aps":{"content-changed":true}}"#) == reaction)
  }

  private func reaction(_ type: PushType, _ here: ServiceContext, _ body: String) throws -> ServiceReaction? {
    try JSONNode.read(Array(body.utf8)) { type.serviceReaction(here, $0) }
  }

  static let asked: [(PushType, String, ServiceReaction)] = [
    (.widgets, #"{"aps":{"content-available":1},"kind":"Score"}"#, .noContentChange),
    (.widgets, "{}", .noContentChange),
    (.widgets, #"{"aps":{"content-changed":false}}"#, .noContentChange),
    (.widgets, #"{"aps":{"content-changed":"true"}}"#, .noContentChange),
    (.widgets, #"{"content-changed":true}"#, .noContentChange), (.controls, #"{"aps":{}}"#, .noContentChange),
    (.controls, #"{"aps":{"content-changed":1}}"#, .reloadHint), (.fileprovider, "{}", .noContainer),
    (.fileprovider, #"{"container-identifier":"root","domain":"d"}"#, .acceptedNoUI), (.mdm, "{}", .noPushMagic),
    (.mdm, #"{"mdm":"magic"}"#, .acceptedNoUI), (.location, "{}", .extensionRuns), (.complication, "{}", .acceptedNoUI),
  ]

  @Test("a body that does not ask for what its push type says has no effect", arguments: asked)
  func bodies(type: PushType, body: String, reaction: ServiceReaction) throws {
    #expect(try self.reaction(type, ServiceContext(os: OSVersion(26, 0)), body) == reaction)
  }

  @Test("push to talk needs a channel that the app has joined")
  func conditions() throws {
    var here = ServiceContext(os: OSVersion(26, 0))
    #expect(try reaction(.pushtotalk, here, "{}") == .needsJoin)
    here.isJoined = true
    #expect(try reaction(.pushtotalk, here, "{}") == .reportsSpeaker)
  }

  @Test("each reaction has a name, a sentence and evidence", arguments: ServiceReaction.allCases)
  func reactions(reaction: ServiceReaction) {
    #expect(reaction.rawValue.allSatisfy { $0.isLowercase || $0 == "-" })
    #expect(!reaction.sentence.isEmpty && !reaction.evidence.source.isEmpty)
  }
}
