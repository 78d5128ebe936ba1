import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

@testable import Hunting

@Suite("News in hunts")
struct FeatureTests {
  private func features(_ faults: [String] = [], of bug: MatchBackend.Bug? = nil) throws -> [String] {
    try MatchBackend.witness(of: bug, faults: faults).features
  }

  @Test("what a fault brings about is news, in words without devices")
  func news() throws {
    let plain = try features()
    let lost = try features(["when: {event: update}, limit: 2, then: {loseAnswer: CANCEL}"])
    let news = Set(lost).subtracting(plain)
    #expect(news.contains("update to update: 200, reset (CANCEL)"), "\(news)")
    #expect(news.contains("token update reset (CANCEL) → update 200 ×1"), "\(news)")
    #expect(plain.contains("update to update: updated") && plain.contains("call activityToken: 200"), "\(plain)")
    #expect(lost == lost.sorted() && Set(lost).count == lost.count)
    #expect(!lost.contains { $0.contains("d0") || $0.contains("d1") })
  }

  @Test("a token that gets nothing after a lost answer shows something else than one that gets the push again")
  func silence() throws {
    let fault = "when: {event: end}, limit: 1, then: {loseAnswer: CANCEL}"
    #expect(try features([fault], of: .givesUp).contains("token end reset (CANCEL) → none ×1"))
    #expect(try !features([fault]).contains("token end reset (CANCEL) → none ×1"))
  }

  @Test("counts are told apart up to a factor of two")
  func buckets() {
    #expect(
      [1, 2, 3, 4, 5, 8, 9, 16, 17].map { HuntFeatures.bucket($0) } == [
        "1", "2", "3-4", "3-4", "5-8", "5-8", "9-16", "9-16", "17-32",
      ])
  }

  @Test("the ground of a story has its words with their counts, and the events and tokens that can be touched")
  func ground() throws {
    let ground = try MatchBackend.witness().ground(door: .scenario, length: .seconds(720))
    #expect(ground.words.first { $0.key == "event" && $0.word == "update" }?.count == 12)
    #expect(ground.words.contains(.init("pushType", "alert", count: 3)))
    #expect(ground.tokenKinds == ["device", "pushToStart", "update"] && ground.devices == ["d0", "d1", "d2"])
    #expect(ground.calls.contains("activityToken"))
    #expect(!ground.hasBroadcasts && !ground.canRestart && ground.length == .seconds(720))
  }

  @Test("the final states of two plays with one seed are equal, and the state of a card that stays behind is not")
  func lines() throws {
    let lines = try MatchBackend.witness().lines
    let again = try MatchBackend.witness().lines
    #expect(lines.count == 6 && lines == again)
    let behind = try MatchBackend.witness(
      of: .givesUp, faults: ["when: {device: d2, event: update, skip: 3}, then: {answer: TooManyRequests}"])
    #expect(behind.lines != lines)
  }

  @Test("a perturbation has struck if its fault did, and a setting always has")
  func struck() throws {
    let witness = try MatchBackend.witness(faults: [
      "when: {event: update}, limit: 1, then: {loseAnswer: CANCEL}",
      "when: {event: end, skip: 50}, limit: 1, then: {loseAnswer: CANCEL}",
    ])
    let fault = Perturbation.fault(["loseAnswer": "CANCEL"])
    #expect(witness.struck([fault, fault, .setting("wire.initialStreams", 1)]) == [true, false, true])
  }
}
