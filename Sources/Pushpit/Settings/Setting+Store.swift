import Simulation

extension Setting {
  private static let merging = "Apple says that storage merges pushes, not by which rule"

  static let store: [Setting] = [
    Setting(
      "store.perToken", \.store.perToken, .whole(1...1000),
      "Pushes kept for one token and collapse id; the newest win.",
      .disputed("one, seen by a push relay of Home Assistant; " + merging)),
    Setting(
      "store.retention", \.store.retention, .duration, "How long a push without apns-expiration is kept.",
      .assumed("30 days; " + merging)),
    Setting(
      "store.most", \.store.most, .whole(0...10_000_000), "Pushes kept for all phones together.",
      .assumed("a limit of this program's memory")),
  ]
}
