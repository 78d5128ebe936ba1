import APNs
import Devices
import Simulation
import WireFormats

/// An alert to a person, however often it is pushed.
struct News: Hashable, Sendable {
  let install: InstallID
  /// The kind of its pushes; see `WitnessedPush.kind`.
  let kind: String
  let alert: JSONValue
}

extension Witness {
  /// The pushes of each piece of news but those that start cards, oldest first.
  var news: [News: [WitnessedPush]] {
    var all: [News: [WitnessedPush]] = [:]
    for push in pushes where !push.isStart {
      guard let install = push.install, let alert = push.alert else { continue }
      all[News(install: install, kind: push.kind, alert: alert), default: []].append(push)
    }
    return all
  }

  /// Pushes with an alert to all apps of a person, oldest first.
  func alerts(to user: UserID) -> [WitnessedPush] {
    pushes.filter { push in push.alert != nil && push.install.flatMap { self[$0]?.user } == user }
  }

  /// True if an app of a person gets an alert that it does not get in another play: a backend may go on with the phone
  /// that it has reached.
  func reaches(_ user: UserID, elsewhere alert: JSONValue?, than plain: Witness) -> Bool {
    func installs(_ witness: Witness) -> Set<InstallID> {
      Set(witness.alerts(to: user).filter { $0.alert == alert }.compactMap(\.install))
    }
    return !installs(self).isSubset(of: installs(plain))
  }
}

extension WitnessedPush {
  /// True if a person has seen its alert.
  var isSeen: Bool {
    switch record.fate.reaction {
    case .notified(let shown)?: shown.shape != .nothing
    case .started?, .updated?, .ended?: alert != nil
    default: false
    }
  }
}
