import Devices
import Testing

@Suite("A version of iOS")
struct OSVersionTests {
  @Test(
    "The version of iOS decides how an app obtains a push-to-start token",
    arguments: [
      ("16.0", .never), ("16.7", .never), ("17.0", .never), ("17.1", .never), ("17.2", .freshInstallAfterReboot),
      ("17.6", .freshInstallAfterReboot), ("17.99", .freshInstallAfterReboot), ("18", .onLaunch), ("18.0", .onLaunch),
      ("26.1", .onLaunch),
    ] as [(String, PushToStartAvailability)])
  func pushToStart(text: String, availability: PushToStartAvailability) throws {
    #expect(StartTokenPolicy().availability(on: try #require(OSVersion(text))) == availability)
  }

  @Test("A version of iOS is read from a major number, or a major and a minor one")
  func reads() {
    #expect(OSVersion("18.2") == OSVersion(18, 2) && OSVersion("18") == OSVersion(18, 0))
    #expect(OSVersion("18.2")?.text == "18.2" && OSVersion("18")?.text == "18.0")
    for text in ["", ".", "18.", ".2", "18.2.1", "0", "100", "18.100", "-1", "18.-1", "iOS 18", "18,2", " 18"] {
      #expect(OSVersion(text) == nil, "\(text)")
    }
  }

  @Test("Versions of iOS are ordered as numbers, not as text")
  func ordered() {
    #expect(
      OSVersion(17, 2) < OSVersion(17, 10) && OSVersion(9, 9) < OSVersion(17, 0)
        && !(OSVersion(18, 0) < OSVersion(18, 0)))
  }

  @Test(
    "an earlier push-to-start token is possible: any from iOS 18, all but the first on 17.2, none before")
  func earlierStartTokens() {
    let ofLater = [PushToStartAvailability.onLaunch, .freshInstallAfterReboot, .never]
    #expect(ofLater.map { $0.issued(startToken: 0) } == [true, false, false])
    #expect(ofLater.map { $0.issued(startToken: 1) } == [true, true, false])
  }
}
