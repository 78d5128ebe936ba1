import Configuration
import Testing

@Suite("A shipped profile")
struct ShippedProfileTests {
  @Test(
    "a shipped profile is printed with whole comments, which a user copies", arguments: ShippedProfile.all.map(\.name))
  func comments(_ name: String) throws {
    let profile = try #require(ShippedProfile.all.first { $0.name == name })
    for line in profile.text.split(separator: "\n") {
      guard line.hasPrefix("#") else { continue }
      #expect(line.count <= 120)
      #expect(line.dropFirst().firstRange(of: "# ") == nil, "\(line)")
    }
  }
}
