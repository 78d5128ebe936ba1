import Testing
import WireFormats

@testable import Configuration

@Suite("The settings of a server as JSON")
struct SettingsInForceTests {
  @Test("the settings as JSON contain the value in force beside the default, and every key of the table")
  func values() throws {
    var settings = Settings()
    try #require(Setting.named("wakes.chance")).set("25%", in: &settings, place: "test")
    let all = SettingsListing().json(inForce: settings)
    #expect(all.compactMap { $0["key"]?.string } == Setting.groups.flatMap { $0.settings.map(\.key) })
    let chance = try #require(SettingsListing(prefix: "wakes.chance").json(inForce: settings).first)
    #expect(chance["value"] == "25%" && chance["default"] != "25%" && chance["evidence"]?.string != nil)
    #expect(chance["help"]?.string?.isEmpty == false && chance["form"]?.string?.isEmpty == false)
    #expect(SettingsListing(prefix: "no such").json(inForce: settings).isEmpty)
  }
}
