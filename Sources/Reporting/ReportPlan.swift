import Timeline
import WireFormats

/// The calls of an app to its backend, and the quality of the app's code: the `reports` of its profile.
package struct ReportPlan: Hashable, Sendable {
  /// The things that a person may follow in the app.
  package struct Follows: Hashable, Sendable {
    /// The argument of `follow` and `unfollow`, and the attribute of the activity, that identifies what is followed.
    package let key: String
    package let follow: String
    package let unfollow: String

    package init(key: String, follow: String = "follow", unfollow: String = "unfollow") {
      self.key = key
      self.follow = follow
      self.unfollow = unfollow
    }
  }

  /// The app ends an activity that has had no new content for long.
  ///
  /// Observed (docs/behavior/apps.md#stale-check): on the way to the foreground, on restore, and now and then while
  /// active; never when suspended.
  package struct StaleCheck: Hashable, Sendable {
    package let after: Duration
    package let every: Duration
    /// Exempts activities whose content has this value.
    package let unless: TemplateReference?

    package init(after: Duration, every: Duration, unless: TemplateReference?) {
      self.after = after
      self.every = every
      self.unless = unless
    }
  }

  package struct Entry: Hashable, Sendable {
    package let event: ReportEvent
    package let requests: [RequestTemplate]

    package init(_ event: ReportEvent, _ requests: [RequestTemplate]) {
      self.event = event
      self.requests = requests
    }
  }

  package var backend = ""
  package var headers: [RequestTemplate.Field] = []
  package var timeout: Duration = .seconds(10)
  /// True if a request that is open when the background runtime ends is lost. Documented for ordinary tasks of
  /// URLSession.
  package var isRuntimeBound = true
  /// True if an install sends its calls one after another, each after the previous answer.
  package var isInOrder = true
  /// True if the app remembers what it has sent. False is the bug of posting every token twice.
  package var dedupes = true
  package var follows: Follows?
  package var staleCheck: StaleCheck?
  package private(set) var entries: [Entry] = []
  private var places: [ReportEvent: Int] = [:]

  package init() {}

  package mutating func add(_ entry: Entry) {
    places[entry.event] = entries.count
    entries.append(entry)
  }

  /// The requests sent at an event: its own, or else those of the more general event.
  func requests(at event: ReportEvent) -> [RequestTemplate] {
    if let place = places[event] { return entries[place].requests }
    return event.general.flatMap { places[$0] }.map { entries[$0].requests } ?? []
  }

  package func reports(_ event: ReportEvent) -> Bool { !requests(at: event).isEmpty }

  /// The actions of a person in the app, by name.
  package var actions: [String] {
    entries.compactMap { if case .action(let name) = $0.event { name } else { nil } }
  }
}

/// Random problems between the apps and their backend.
package struct ReportTrouble: Hashable, Sendable {
  /// The request does not reach the backend, and the app gets an error.
  package var lost = Odds.never
  /// The backend receives it, but the app does not get the answer.
  package var answerLost = Odds.never
  /// The request arrives twice.
  package var doubled = Odds.never
  /// The next call overtakes it.
  package var overtaken = Odds.never
  /// Answered with an error before it reaches the backend.
  package var failed = Odds.never
  /// The time by which the request is delayed.
  package var delay: ClosedRange<Duration> = .zero ... .zero

  package init() {}

  package var isNone: Bool { self == ReportTrouble() }
}

/// The bell beside a thing that can be followed. Observed: three states
/// (docs/behavior/apps.md#bell).
package enum BellIcon: String, Hashable, Sendable {
  case empty
  case filled
  /// Followed, but its Live Activity failed.
  case filledWarning
}
