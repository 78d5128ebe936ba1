import Devices
import Grammar

extension DeviceAction {
  /// The action that reverts this one, if there is an obvious one.
  var opposite: DeviceAction? {
    switch self {
    case .goOffline: .goOnline
    case .goOnline: .goOffline
    case .lock: .unlock
    case .unlock: .lock
    case .flip(let what, let on, let app): .flip(what, on: !on, app: app)
    case .lightScreen: .darkenScreen
    case .darkenScreen: .lightScreen
    case .setClock: .setClock(ahead: .zero)
    case .uninstall(let app): .reinstall(app: app, opens: true)
    default: nil
    }
  }
}
