import APNs
import Devices
import Reporting
import Testing
import Timeline
import WireFormats

@testable import ClubSupport
@testable import Simulation

@Suite("What a fleet follows")
struct FollowLimitTests {
  private func problem(_ club: inout Club, _ key: String, on device: UInt32 = 0) -> CommandProblem? {
    #expect(throws: CommandProblem.self) {
      try club.use("follow", ["matchId": .string(key)], on: device)
    }
  }

  @Test("follows are counted over all phones of the fleet, and limited; an unfollow makes room")
  func most() throws {
    var club = try Club(devices: 3)
    club.world.deviceState.reports.mostFollows = 4
    for device in 0..<2 as Range<UInt32> {
      for match in ["m1", "m2"] { try club.use("follow", ["matchId": .string(match)], on: device) }
    }
    #expect(club.world.deviceState.reports.follows == 4)
    let refused = try #require(problem(&club, "m3", on: 2))
    #expect(refused.field == "action" && refused.sentence.contains("follow 4 things already"))
    // Something that is followed already needs no room.
    try club.use("follow", ["matchId": "m1"], on: 1)
    try club.use("unfollow", ["matchId": "m1"], on: 0)
    try club.use("follow", ["matchId": "m3"], on: 2)
    #expect(club.world.deviceState.reports.follows == 4)
    try club.order(.uninstall(app: nil), on: 2)
    try club.order(.reinstall(app: nil, opens: false), on: 2)
    #expect(club.world.deviceState.reports.follows == 3)
  }

  @Test("the id of a follow has at most 256 bytes")
  func length() throws {
    var club = try Club()
    try club.use("follow", ["matchId": .string(String(repeating: "m", count: 256))])
    let refused = try #require(problem(&club, String(repeating: "m", count: 257)))
    #expect(refused.field == "arguments" && refused.sentence.contains("257"))
  }
}
