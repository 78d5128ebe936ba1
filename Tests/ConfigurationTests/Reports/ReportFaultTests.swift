import APNs
import Devices
import Reporting
import Simulation
import Testing
import Timeline
import WireFormats

@testable import ClubSupport

@Suite("Trouble between apps and backend, as faults")
struct ReportFaultTests {
  private static let all: UInt32 = 500

  private func opened(
    _ fault: Fault, seed: UInt64 = 1, reversed: Bool = false, devices: UInt32 = all
  ) throws -> Club {
    var club = try Club("sightscreen", devices: devices, seed: seed)
    try club.world.perform(.setFault(fault), at: club.now)
    for device in reversed ? Array((0..<devices).reversed()) : Array(0..<devices) { try club.launch(on: device) }
    return club
  }

  private func fault(_ what: ReportFault, event: String? = nil, odds: Odds = .always) -> Fault {
    var fault = Fault("f", .reports(what))
    fault.condition.filter.event = event
    fault.odds = odds
    return fault
  }

  private func struck(_ club: Club) -> Set<UInt32> {
    Set(club.ends.filter { $0.failure == .lost }.map(\.device.number))
  }

  @Test("a report fault strikes the same phones by odds in whatever order they report, and others by another seed")
  func orderFree() throws {
    let lost = fault(.lose, event: "pushToStartToken", odds: Odds(3, in: 10))
    let one = struck(try opened(lost))
    #expect((100...200).contains(one.count), "\(one.count)")
    #expect(struck(try opened(lost, reversed: true)) == one)
    #expect(struck(try opened(lost, seed: 2)) != one)
  }

  @Test("report faults select by the event with all below it, by devices and app, and stop at their limit")
  func conditions() throws {
    for (event, count) in [("pushToStartToken", 1), ("launch", 1), ("deviceToken", 1), ("activityState", 0)] {
      var fault = fault(.lose, event: event)
      fault.condition.filter.devices = [DeviceID(1), DeviceID(2)]
      fault.limit = 1
      let club = try opened(fault, devices: 4)
      #expect(club.ends.count { $0.failure == .lost } == count, "\(event)")
      #expect(club.world.faults["f"]?.struck == UInt64(count), "\(event)")
    }
    var club = try opened(fault(.fail, event: "activityToken"), devices: 1)
    try club.start(on: 0)
    let first = club.ends.count { $0.failure == .refusedByRule }
    try club.order(.rotate(.update, app: nil, attributesType: nil, activity: nil))
    #expect(first > 0 && club.ends.count { $0.failure == .refusedByRule } > first, "rotated ones are meant too")
  }

  private static let clockProfile = """
    bundleId: com.example.clock
    reports:
      on:
        deviceToken: [{url: "{{backend}}/token", json: {at: "{{time.unix}}"}}]
    """

  @Test("a skewed phone clock changes the app's timestamps by its offset, and nothing else")
  func clocks() throws {
    func said(_ club: Club, _ device: UInt32) -> [Int64] {
      club.calls.filter { $0.device == device }.compactMap { $0.body?["at"]?.integer }
    }
    for minutes in [90, -90] as [Int64] {
      var club = try Club(Self.clockProfile, devices: 2)
      var off = fault(.clock(.seconds(60 * minutes)))
      off.condition.filter.devices = [DeviceID(1)]
      try club.world.perform(.setFault(off), at: club.now)
      for device in 0..<2 as Range<UInt32> { try club.launch(on: device) }
      let now = Club.began.seconds
      #expect(said(club, 0) == [now] && said(club, 1) == [now + 60 * minutes])
      #expect(club.world.faults["f"]?.struck == 1)
      #expect(club.calls.allSatisfy { $0.at == Club.began }, "the call leaves when it would")
    }
  }

  @Test("a report fault strikes only while it is set: from, until, and until it is deleted")
  func times() throws {
    var lost = fault(.lose)
    lost.from = Club.began.advanced(by: .seconds(10))
    lost.until = Club.began.advanced(by: .seconds(20))
    var club = try opened(lost, devices: 3)
    #expect(struck(club) == [])
    club.advance(by: .seconds(10))
    try club.order(.rotate(.pushToStart, app: nil, attributesType: nil, activity: nil), on: 1)
    #expect(struck(club) == [1])
    club.advance(by: .seconds(10))
    try club.order(.rotate(.pushToStart, app: nil, attributesType: nil, activity: nil), on: 2)
    #expect(struck(club) == [1])
    try club.world.perform(.setFault(fault(.lose)), at: club.now)
    try club.world.perform(.deleteAllFaults, at: club.now)
    try club.order(.rotate(.pushToStart, app: nil, attributesType: nil, activity: nil), on: 2)
    #expect(struck(club) == [1])
  }

  @Test("the outcome of a lost answer names its fault, and a doubled call arrives twice")
  func answers() throws {
    let lost = try opened(fault(.loseAnswer, event: "pushToStartToken"), devices: 1)
    let end = lost.ends.first { $0.failure == .answerLost }
    #expect(end?.outcome.sentence.contains("the fault f struck an answer 200") == true, "\(String(describing: end))")
    #expect(lost.calls.count == lost.ends.count)
    let doubled = try opened(fault(.double), devices: 1)
    #expect(doubled.calls.count == 2 * doubled.ends.count)
  }

  @Test("a delayed report arrives at its time, and not before")
  func late() throws {
    var club = try opened(fault(.delay(.between(.seconds(3) ... .seconds(3))), event: "pushToStartToken"), devices: 1)
    let before = club.callers(Club.startLine)
    club.advance(by: .seconds(2))
    #expect(before == [] && club.callers(Club.startLine) == [])
    club.advance(by: .seconds(1))
    #expect(club.callers(Club.startLine) == [0])
  }

  @Test(
    "a report with a delay of zero leaves at once, and so does the next report",
    arguments: [
      AnswerDelay.between(.zero ... .zero), .lognormal(median: .zero, p99: .zero),
      .lognormal(median: .zero, p99: .seconds(5)),
    ])
  func lateByNothing(_ delay: AnswerDelay) throws {
    let sound = try Club("sightscreen")
    var expected = sound
    try expected.launch()
    var club = sound
    try club.world.perform(.setFault(fault(.delay(delay))), at: club.now)
    try club.launch()
    #expect(club.lines == expected.lines && club.calls.allSatisfy { $0.at == Club.began })
    #expect(club.ends.count == club.calls.count && club.world.faults["f"]?.struck == UInt64(club.calls.count))
  }

  @Test("with a delay from a range that begins at 0, every call is sent, and ends by the longest delay")
  func lateByNothingAtTimes() throws {
    // Two values, so that half of the draws are zero.
    var club = try opened(fault(.delay(.between(.zero ... .nanoseconds(1)))), devices: 50)
    // An answer comes at the end of each second here.
    club.advance(by: .seconds(10))
    #expect(club.ends.count == club.calls.count && club.world.openCalls == 0)
    #expect(Set(club.callers(Club.startLine)) == Set(0..<50))
  }
}
