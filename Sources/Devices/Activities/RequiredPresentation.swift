/// What a Live Activity's widget must provide; an app that lacks one of these does not run.
///
/// Documented: Apple, "Displaying live data with Live Activities", names all but the last. Observed: from
/// iOS 18 on the small family of Watch and CarPlay is needed as well (docs/behavior/live-activities.md#presentations).
package enum RequiredPresentation: String, CaseIterable, Hashable, Sendable {
  case lockScreen, expanded, compactLeading, compactTrailing, minimal, small
}
