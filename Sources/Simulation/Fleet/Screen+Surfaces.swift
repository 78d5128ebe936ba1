import APNs
import Devices

extension Screen {
  /// A place besides the Lock Screen and the Dynamic Island where activities are shown.
  package struct Surface: Sendable {
    package enum Place: String, CaseIterable, Hashable, Sendable {
      case standBy, watch, carPlay, mac
    }

    package enum Presentation: String, CaseIterable, Hashable, Sendable {
      case minimal
      /// The Lock Screen view on the whole screen.
      case lockScreen
      /// The presentation that the widget supplies for Watch and CarPlay.
      case small
      /// Leading and trailing, where it supplies nothing else.
      case compact
    }

    /// Activities that are shown in the same way.
    package struct Group: Sendable {
      package let presentation: Presentation
      package let cards: [Card]
    }

    package let place: Place
    package let groups: [Group]
  }
}

/// Documented: the places, and that StandBy shows "the detached minimal presentation", so one activity. Assumed: that
/// it is the first on the Lock Screen (docs/behavior/live-activities.md#standby); which activities the other places
/// show, in which order, and from which version on CarPlay and the Mac do
/// (docs/behavior/live-activities.md#watch-carplay-and-mac).
extension Fleet {
  func surfaces(_ cards: [Screen.Card], _ phone: Phone) -> [Screen.Surface] {
    let running = cards.filter(\.isRunning)
    guard !running.isEmpty else { return [] }
    var surfaces: [Screen.Surface] = []
    func show(_ place: Screen.Surface.Place, _ groups: [Screen.Surface.Group]) {
      surfaces.append(Screen.Surface(place: place, groups: groups.filter { !$0.cards.isEmpty }))
    }
    let bySize = [
      Screen.Surface.Group(presentation: .small, cards: running.filter(\.hasSmall)),
      Screen.Surface.Group(presentation: .compact, cards: running.filter { !$0.hasSmall }),
    ]
    if phone.isInStandBy {
      let open = running.first { $0.app == phone.openCard?.app && $0.number == phone.openCard?.activity }
      let shown = open.map { [$0] } ?? Array(running.prefix(1))
      show(.standBy, [Screen.Surface.Group(presentation: open == nil ? .minimal : .lockScreen, cards: shown)])
    }
    if phone.hasWatch, phone.os >= OSVersion(18, 0) { show(.watch, bySize) }
    if phone.condition.contains(.inCar), phone.os >= OSVersion(26, 0) { show(.carPlay, bySize) }
    if phone.condition.contains(.besideMac), phone.os >= OSVersion(26, 0) {
      show(.mac, [Screen.Surface.Group(presentation: .compact, cards: running)])
    }
    return surfaces
  }
}
