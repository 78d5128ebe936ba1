import Timeline

/// Least time between two drawings of one activity.
package struct RenderPlan: Hashable, Sendable {
  /// Observed: 5 to 15 s since iOS 18, for the wear of the storage and the Watch (TechRadar and iphone-ticker.de,
  /// September 2024). Assumed: each device has one figure of its own and keeps it.
  package var from18: ClosedRange<Duration> = .seconds(5)...(.seconds(15))
  /// Observed: once a second (TechRadar).
  package var before18: ClosedRange<Duration> = .seconds(1)...(.seconds(1))

  package init() {}

  /// The spacing of one device, the same whenever it is asked for.
  package func spacing(on os: OSVersion, _ chance: Chance, device: UInt64) -> Duration {
    chance.duration(in: os < OSVersion(18, 0) ? before18 : from18, device)
  }
}
