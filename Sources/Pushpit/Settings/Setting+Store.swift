import Simulation

extension Setting {
  static let store: [Setting] = [
    Setting(
      "store.perToken", \.store.perToken, .whole(1...1000),
      "Pushes kept for one token and collapse id; the newest win.",
      .disputed(
        "one per device and bundle id by Apple, one per token and collapse id by a relay"
          + " (docs/behavior/delivery.md#storage)"
      )),
    Setting(
      "store.retention", \.store.retention, .duration, "How long a push without apns-expiration is kept.",
      .documented("30 days at most (docs/behavior/delivery.md#expiration)")),
    Setting(
      "store.most", \.store.most, .whole(0...10_000_000), "Pushes kept for all phones together.",
      .assumed("a limit of this program's memory")),
  ]
}
