import Timeline

/// Times at which applied content of an activity is drawn.
///
///     drawn ──apply, spacing over or alert──▶ drawn
///       └──apply too soon──▶ behind ──due, or alert──▶ drawn with the newest content
///
/// Holds no content: the activity keeps the applied and the drawn content, and copies one to the other when told to
/// draw.
package struct RenderSpacing: Hashable, Sendable {
  package enum Next: Hashable, Sendable {
    case draw
    /// The screen is out of date until then.
    case wait(until: Instant)
    /// The screen is up to date.
    case nothing
  }

  package private(set) var drawnAt: Instant
  /// The screen is out of date until then.
  private var behindUntil: Instant?

  /// The activity has appeared, which counts as its first drawing.
  package init(drawnAt: Instant) { self.drawnAt = drawnAt }

  /// The time at which the next drawing is due; nil while the screen is up to date.
  package var nextDue: Instant? { behindUntil }

  /// New content was applied. Assumed: content with an alert is drawn at once.
  ///
  /// - Parameter spacing: nanoseconds.
  package mutating func apply(alerts: Bool, spacing: Int64, at now: Instant) -> Next {
    let due = behindUntil ?? drawnAt.advanced(nanoseconds: spacing)
    if alerts || due <= now { return draw(at: now) }
    behindUntil = due
    return .wait(until: due)
  }

  /// Time has passed.
  package mutating func wake(at now: Instant) -> Next {
    guard let behindUntil else { return .nothing }
    return behindUntil <= now ? draw(at: now) : .wait(until: behindUntil)
  }

  private mutating func draw(at now: Instant) -> Next {
    behindUntil = nil
    drawnAt = now
    return .draw
  }
}

/// Minimum time between two drawings of one activity.
package struct RenderPlan: Hashable, Sendable {
  /// Observed: 5 to 15 s since iOS 18, to reduce wear of the storage and for the Watch (TechRadar and iphone-ticker.de,
  /// September 2024). Assumed: each device has one fixed figure.
  package var from18: ClosedRange<Duration> = .seconds(5)...(.seconds(15))
  /// Observed: once a second (TechRadar).
  package var before18: ClosedRange<Duration> = .seconds(1)...(.seconds(1))

  package init() {}

  /// The spacing of one device; always the same for that device.
  package func spacing(on os: OSVersion, _ chance: Chance, device: UInt64) -> Duration {
    chance.duration(in: os < OSVersion(18, 0) ? before18 : from18, subject: device)
  }
}
