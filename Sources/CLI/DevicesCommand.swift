import ArgumentParser
import ClientCommands

/// `pushpit devices`
struct DevicesCommand: ListCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List the phones of the fleet, with their state and apps.",
    discussion: """
        pushpit devices
        pushpit devices --offline --os 26
        pushpit devices --app com.example.app --json | jq -r '.devices[].id'
      """)

  static let list = "devices"
  static let heading = ["device", "iOS", "state", "apps"]
  static let nothing = "No device matches."

  @OptionGroup(title: "Filters") var filters: DerivedFlags<Self>
  @OptionGroup var page: PageOptions

  static func cells(of device: ListRow) -> [String] {
    let apps = device.rows("apps").map { "\($0.text("bundleId")) (\(state(ofApp: $0)))" }
    return [device.text("id"), device.text("os"), state(of: device), apps.joined(separator: ", ")]
  }

  private static func state(ofApp app: ListRow) -> String {
    guard app.isTrue("installed") else { return "deleted" }
    let running = app.rows("activities").count { ["active", "stale"].contains($0.text("state")) }
    let activities = running == 0 ? "" : ", \(running) \(running == 1 ? "activity" : "activities")"
    return app.text("notifications") + activities
  }

  /// The conditions that most often keep a phone from showing anything: offline, Focus, Low Power, locked.
  private static func state(of device: ListRow) -> String {
    let conditions = [("focus", "Focus"), ("lowPower", "Low Power"), ("locked", "locked")].compactMap { key, word in
      device.isTrue(key) ? word : nil
    }
    return ([device.isTrue("online") ? "online" : "offline"] + conditions).joined(separator: ", ")
  }
}
