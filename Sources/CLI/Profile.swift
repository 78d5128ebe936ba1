import ArgumentParser
import Configuration

/// The app profiles that come with Pushpit.
struct Profile: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile", abstract: "Print app profiles: how virtual apps call your backend.",
    discussion: """
      Without a name, lists the profiles that come with Pushpit; with a name, prints that profile to copy and change:

        pushpit profile sightscreen > my-app.yaml
        pushpit serve --profile my-app.yaml --backend http://127.0.0.1:8080
      """)

  @Argument(help: "Name of a shipped profile.")
  var name: String?

  func run() throws {
    guard let name else {
      for profile in ShippedProfile.all {
        Terminal.announce(profile.name + String(repeating: " ", count: max(1, 14 - profile.name.count)) + profile.help)
      }
      return
    }
    guard let profile = ShippedProfile.all.first(where: { $0.name == name }) else {
      let known = ShippedProfile.all.map(\.name).joined(separator: ", ")
      let hint = ShippedProfile.nearest(to: name).map { "did you mean \($0)?" } ?? "the shipped profiles are \(known)."
      throw ValidationError("there is no shipped profile \(name); \(hint)")
    }
    Terminal.announce(profile.text.hasSuffix("\n") ? String(profile.text.dropLast()) : profile.text)
  }
}
