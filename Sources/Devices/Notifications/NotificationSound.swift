import WireFormats

/// The sound that a push requests, or that a phone has played.
package struct NotificationSound: Hashable, Sendable {
  /// Name of the system's default sound. Documented.
  package static let defaultName = "default"

  /// A file of the app, or `default`.
  package let name: String
  /// True if it plays although the phone is muted.
  package let isCritical: Bool
  /// From 0 to 1; only for critical sounds.
  package let volume: Double

  package init(_ name: String = defaultName, isCritical: Bool = false, volume: Double = 1) {
    self.name = name
    self.isCritical = isCritical
    self.volume = volume
  }

  /// Parses a string, or a dictionary with `name`, `critical` and `volume`; nil if there is no sound.
  ///
  /// Assumed: an empty name is silence; a dictionary without a name is the default sound; an invalid volume is 1.
  package init?(_ node: JSONNode?, noting remarks: inout PayloadRemarks) {
    guard let node = PayloadRemarks.present(node) else { return nil }
    if let name = node.string {
      guard !name.isEmpty else { return nil }
      self.init(name)
      return
    }
    guard node.isObject else {
      remarks.append(.soundType)
      return nil
    }
    let parts = node["name", "critical", "volume"]
    let name = remarks.string(parts.first, or: .soundNameType)
    if name?.isEmpty ?? false { return nil }
    self.init(
      name ?? Self.defaultName, isCritical: remarks.flag(parts.second, or: .soundCriticalValue),
      volume: remarks.share(parts.third, or: .soundVolumeValue) ?? 1)
  }

  /// The sound that is actually played.
  ///
  /// Documented: a critical sound needs an entitlement and the user's permission. Assumed: without them it is an
  /// ordinary sound; a file that the app does not have is replaced by the default sound.
  package func played(from files: [String], allowsCritical: Bool) -> NotificationSound {
    let isCritical = isCritical && allowsCritical
    let isKnown = name == Self.defaultName || files.contains(name)
    return NotificationSound(
      isKnown ? name : Self.defaultName, isCritical: isCritical, volume: isCritical ? volume : 1)
  }
}
