import APNs
import Devices
import Reporting
import Simulation
import Testing
import Timeline

@testable import ClubSupport

/// Findings that rest on what apps have told their backends.
@Suite("An audit that hears what apps report")
struct AuditedReportTests {
  @Test("a push to an activity that the app said was dismissed is found, and none before it was said")
  func dismissed() throws {
    var club = try Club()
    try club.start()
    let token = try club.token(.update(activity: 0))
    try club.update("1/0", to: token)
    try club.order(.swipe(nil, app: nil))
    #expect(club.count(Club.dismissedLine) == 1)
    club.advance(by: .seconds(5))
    try club.update("2/0", to: token)
    #expect(club.findings == [.pushAfterDismissal])
  }

  @Test("a push to a token whose successor the app has told is found; where it could not tell, nobody is at fault")
  func replaced() throws {
    for isTold in [true, false] {
      var club = try Club()
      try club.start()
      let token = try club.token(.update(activity: 0))
      club.advance(by: .seconds(1))
      if !isTold { club.answer = { _ in .answered(status: 500, body: nil) } }
      try club.order(.rotate(.update))
      club.advance(by: .seconds(5))
      #expect(try club.update("1/0", to: token).fate == .discarded(.orphanToken))
      #expect(club.findings == (isTold ? [.replacedToken] : []))
    }
  }
}
