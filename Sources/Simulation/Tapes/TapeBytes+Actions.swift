import APNs
import Devices
import Timeline
import WireFormats

/// How a tape says what was done to a device: a number of the format, then what it holds.
extension TapeBytes {
  mutating func put(_ action: DeviceAction) {
    switch action {
    case .uninstall(let app): put(0, app)
    case .reinstall(let app, let opens):
      put(1, app)
      put(opens)
    case .updateApp(let app): put(2, app)
    case .rotate(let kind, let app, let type, let activity, let silently):
      put(3, app)
      put(kind.name)
      put(type)
      put(activity)
      put(silently)
    case .open(let app): put(4, app)
    case .leave(let app): put(5, app)
    case .forceQuit(let app): put(6, app)
    case .terminate(let app): put(7, app)
    case .crash(let app): put(8, app)
    case .use(let name, let app, let arguments):
      put(9, app)
      put(name)
      put(arguments)
    case .start(let request):
      put(10, request.app)
      put(request)
    case .updateActivity(let name, let app, let order):
      put(11, app)
      put(name)
      put(order)
    case .endActivity(let name, let app, let content, let dismissal):
      put(12, app)
      put(name)
      put(content) { $0.put($1) }
      put(dismissal)
    case .evict(let name, let app): put(13, app, name)
    case .swipe(let name, let app): put(14, app, name)
    case .tap(let name, let app): put(15, app, name)
    case .allow(let name, let app): put(16, app, name)
    case .deny(let name, let app): put(17, app, name)
    case .tapNotification(let number, let app):
      put(18, app)
      put(number) { $0.put(UInt64($1)) }
    case .clearNotifications(let app): put(19, app)
    case .lock, .unlock, .lightScreen, .darkenScreen, .goOffline, .goOnline, .reboot, .restore: putPlain(action)
    case .updateSystem(let version):
      put(byte: 28)
      put(version)
    case .flip(let what, let on, let app):
      put(29, app)
      put(what.rawValue)
      put(on)
    case .permit(let permission, let app):
      put(30, app)
      put(permission.rawValue)
    }
  }

  /// One that holds nothing.
  private mutating func putPlain(_ action: DeviceAction) {
    switch action {
    case .lock: put(byte: 20)
    case .unlock: put(byte: 21)
    case .lightScreen: put(byte: 22)
    case .darkenScreen: put(byte: 23)
    case .goOffline: put(byte: 24)
    case .goOnline: put(byte: 25)
    case .reboot: put(byte: 26)
    case .restore: put(byte: 27)
    default: break
    }
  }

  private mutating func put(_ kind: UInt8, _ app: String?) {
    put(byte: kind)
    put(app)
  }

  private mutating func put(_ kind: UInt8, _ app: String?, _ activity: String?) {
    put(kind, app)
    put(activity)
  }

  private mutating func put(_ request: StartRequest) {
    put(request.attributesType)
    let order = request.order
    put(order.type)
    put(order.attributes) { $0.put($1) }
    put(order.content) { $0.put($1) }
    switch order.updates {
    case .token: put(byte: 0)
    case .channel(let id):
      put(byte: 1)
      put(id)
    case .none: put(byte: 2)
    }
    put(order.staleDate)
    put(order.relevance)
    put(order.isTransient)
    put(order.begins)
    put(order.alerts)
    put(order.scene.rawValue)
    put(order.injected?.rawValue)
  }

  private mutating func put(_ order: UpdateOrder) {
    put(order.content)
    put(order.timestamp) { $0.put($1) }
    put(order.staleDate)
    put(order.relevance) { $0.put($1) }
    put(order.alerts)
  }
}
