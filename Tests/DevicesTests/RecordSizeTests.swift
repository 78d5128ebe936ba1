import Testing
import Timeline

@testable import APNs
@testable import Devices

/// The sizes of the records decide the memory of a fleet of a million phones: each byte more is a megabyte.
@Suite("Records of phones are small")
struct RecordSizeTests {
  @Test("A phone takes 40 bytes, an app 72, a Live Activity 80")
  func sizes() {
    #expect(MemoryLayout<Phone>.stride <= 40)
    #expect(MemoryLayout<Install>.stride <= 72)
    #expect(MemoryLayout<LiveActivity>.stride <= 80)
    #expect(MemoryLayout<TokenState>.size <= 21)
  }

  @Test("What few phones have uses no memory before it is changed")
  func nothingStored() {
    var install = Install(
      AppProfile(bundleID: "com.example.app", teamID: "TEAM123456"), DevicePolicy(),
      worldBegan: Instant(seconds: 1_700_000_000))
    #expect(!install.details.isStored)
    install.forgetForceQuit()
    install.forgetUrgent()
    #expect(!install.details.isStored, "setting what is so already stores nothing")
    install.forceQuit(leaks: false, at: Instant(seconds: 1))
    #expect(install.details.isStored && install.forceQuitAt == Instant(seconds: 1))
  }

  @Test("A copy of a record is unchanged when the other is changed")
  func copies() {
    var first: OutOfLine<Install.Details> = []
    first.store()
    first[0].change(.voip) { $0.rotate(notice: nil) }
    first.store()
    let copy = first
    first[0].change(.voip) { $0.rotate(notice: nil) }
    #expect(copy[0].services[.voip]?.generation == 1 && first[0].services[.voip]?.generation == 2)
  }

  @Test(
    "An instant in one word is read back unchanged, or as nil",
    arguments: [nil, .distantPast, .distantFuture, Instant(nanoseconds: 0), Instant(seconds: 1_700_000_000)]
      as [Instant?])
  func oneWord(instant: Instant?) {
    #expect(OneWordInstant(wrappedValue: instant).wrappedValue == instant)
    #expect(MemoryLayout<OneWordInstant>.size == 8)
    // The one value that means none is taken for the instant before it.
    #expect(OneWordInstant(wrappedValue: Instant(nanoseconds: .min + 1)).wrappedValue == .distantPast)
  }
}
