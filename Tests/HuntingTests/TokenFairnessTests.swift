import APNs
import Simulation
import Testing
import Timeline
import WireFormats

@testable import Hunting

@Suite("Fairness of oracles about tokens")
struct TokenFairnessTests {
  @Test("a token that was called bad once may be tried again until the trial has an answer")
  func triedAgain() throws {
    let faults = [
      OracleTests.lastUpdate + ", then: {answer: BadDeviceToken}",
      "when: {device: d2, event: update, skip: 3}, limit: 4, then: {answer: TooManyRequests}",
    ]
    let variant = try MatchBackend.witness(faults: faults)
    #expect(variant.findings.count { $0.kind == .refusedToken } >= 3)
    #expect(Oracles.judge(variant, plain: try MatchBackend.plain()).map(\.sentence) == [])
  }

  @Test("a backend may forget a token that is called dead in the instant in which it is registered")
  func deadAtOnce() throws {
    // The app reports the token of its card between two updates, and the backend sends the score at once.
    let faults = [
      "when: {device: d2}, from: 20s, then: {devices: {do: open}}",
      "when: {event: activityToken, device: d2}, limit: 1, then: {calls: {delay: 150s}}",
      "when: {device: d2, tokenKind: update}, limit: 1, then: {answer: Unregistered}",
    ]
    let variant = try MatchBackend.witness(faults: faults)
    let refused = try #require(variant.pushes.first { $0.status == 410 })
    #expect(variant.reports(of: refused.token).map(\.ended) == [refused.at])
    let plain = try MatchBackend.plain()
    #expect(variant.lines != plain.lines)
    #expect(Oracles.judge(variant, plain: plain).map(\.sentence) == [])
  }

  @Test("a backend may renew its provider token in the middle of a play")
  func renewal() throws {
    let once = try MatchBackend.witness(of: .renewsOnce)
    #expect(once.findings.count { $0.kind == .providerTokenRenewed } == 1)
    let plain = try MatchBackend.plain()
    #expect(Oracles.judge(plain: once) == [] && Oracles.judge(once, plain: plain) == [])
    let often = try MatchBackend.witness(
      of: .renewsOften, settings: ["rules: {tokenUpdatesAllowed: 16, tokenUpdateWindow: 10s}"])
    for (usual, most) in [(plain, 2), (once, 3)] {
      let failure = Oracles.judge(often, plain: usual).first { $0.group.subject == "providerTokenRenewed" }
      #expect(failure?.expectation?["count"] == .string("0..\(most)"))
    }
  }

  @Test("a backend may forget an app with its cards when its device token is called dead")
  func deadApp() throws {
    let dead = "when: {device: d2, tokenKind: device}, limit: 1, then: {answer: Unregistered}"
    let plain = try MatchBackend.plain(of: .forgetsTheApp)
    let variant = try MatchBackend.witness(of: .forgetsTheApp, faults: [dead])
    #expect(variant.pushes.count == plain.pushes.count - 2)
    #expect(Oracles.judge(variant, plain: plain).map(\.sentence) == [])
    // Not a token that was reported since, after a 410 for itself or for another token of its app.
    let device = try #require(variant.installs.last)
    for token in [try #require(device.cards.last?.token), try #require(device.deviceToken)] {
      #expect(variant.mayForget(token, of: device.id))
    }
    let launch = "when: {device: d2}, from: 250s, for: 10s, then: {devices: {do: crash}, heal: {do: open}}"
    let again = try MatchBackend.witness(of: .forgetsTheApp, faults: [dead, launch])
    let registered = try #require(again.installs.last?.deviceToken)
    #expect(!again.mayForget(registered, of: device.id))
  }

  @Test("a push that was refused before its token was looked up is one of its phone")
  func refusedAtOnce() throws {
    let variant = try MatchBackend.witness(of: .renewsOften)
    let refused = variant.pushes.filter { $0.reason == .tooManyProviderTokenUpdates }
    #expect(refused.contains { $0.isStart && $0.record.address == nil && $0.install != nil })
    // So nothing looks like a push that was never sent.
    let lost = LastStateLost.judge(variant, plain: try MatchBackend.plain()).map(\.group.subject)
    #expect(!lost.isEmpty && lost.allSatisfy { $0.contains("that was answered 429") })
  }

  @Test("a backend may send notifications only to phones without a running card")
  func cardless() throws {
    let plain = try MatchBackend.plain(of: .alertsTheCardless)
    let refused = "when: {device: d1, event: end}, limit: 1, then: {answer: TooManyRequests}"
    let variant = try MatchBackend.witness(of: .alertsTheCardless, faults: [refused])
    #expect(variant.pushes.count { $0.kind == "alert" } == plain.pushes.count { $0.kind == "alert" } - 1)
    #expect(LastStateLost.judge(variant, plain: plain).count == 1)
    #expect(TokenForgotten.judge(variant, plain: plain).map(\.sentence) == [])
  }

  @Test("a push that has waited in a queue may go to a token that was replaced meanwhile")
  func queued() throws {
    func failures(rotatedAt seconds: Int) throws -> [HuntFailure] {
      let faults = [
        "when: {device: d2}, from: \(seconds)s, then: {devices: {do: rotate, kind: device}}",
        "when: {device: d2}, from: \(seconds + 5)s, then: {devices: {do: open}}",
        // Trouble to the end, so that another oracle does not name it better.
        "when: {device: d1, pushType: alert}, from: 500s, limit: 1, then: {answer: TooManyRequests}",
      ]
      let variant = try MatchBackend.witness(of: .keepsDeviceTokens, faults: faults)
      #expect(variant.findings.contains { $0.kind == .replacedToken })
      return BackendFindings.judge(variant, plain: try MatchBackend.plain(of: .keepsDeviceTokens))
    }
    #expect(try failures(rotatedAt: 250).map(\.sentence) == [])
    #expect(try failures(rotatedAt: 190).map(\.group.subject) == ["replacedToken"])
  }

  @Test("a backend may leave alone a token that was called bad, though the app reports it again")
  func badForGood() throws {
    let faults = [
      "when: {device: d2, event: update, skip: 2}, limit: 1, then: {answer: BadDeviceToken}",
      "when: {device: d2}, from: 400s, for: 10s, then: {devices: {do: crash}, heal: {do: open}}",
    ]
    let variant = try MatchBackend.witness(of: .shunsBadTokens, faults: faults)
    let refused = try #require(variant.pushes.first { $0.status == 400 })
    #expect(variant.reports(of: refused.token).last.map { refused.at < $0.began } == true)
    #expect(variant.pushes(to: refused.token).last?.status == 400)
    #expect(Oracles.judge(variant, plain: try MatchBackend.plain(of: .shunsBadTokens)).map(\.sentence) == [])
  }

  @Test("a token is not dead after a 410 that is older than its registration")
  func oldEnd() throws {
    let fault = "when: {device: d0, tokenKind: update}, then: {answer: Unregistered, age: 30d}"
    let variant = try MatchBackend.witness(of: .ignores410, faults: [fault])
    let plain = try MatchBackend.plain(of: .ignores410)
    #expect(DeadTokenPushed.judge(variant, plain: plain).map(\.sentence) == [])
  }

  @Test("a token may be pushed to again if the answer to its registration was lost")
  func registeredUnheard() throws {
    let dead = "when: {device: d0, tokenKind: update}, then: {answer: Unregistered}"
    let crash = "when: {device: d0}, from: 150s, for: 10s, then: {devices: {do: crash}, heal: {do: open}}"
    let unheard = "when: {event: activityToken, device: d0}, from: 150s, then: {calls: loseAnswer}"
    let plain = try MatchBackend.plain(of: .ignores410)
    let told = try MatchBackend.witness(of: .ignores410, faults: [dead])
    #expect(DeadTokenPushed.judge(told, plain: plain).count == 1)
    let variant = try MatchBackend.witness(of: .ignores410, faults: [dead, crash, unheard])
    let token = try #require(variant.pushes.first { $0.status == 410 }?.token)
    #expect(variant.attempts(toReport: token).count > variant.reports(of: token).count)
    #expect(DeadTokenPushed.judge(variant, plain: plain).map(\.sentence) == [])
  }
}
