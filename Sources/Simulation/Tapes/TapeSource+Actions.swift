import Devices
import Timeline
import WireFormats

/// Reads what `TapeBytes` writes of what was done to devices.
extension TapeSource {
  mutating func action() throws(TapeFlaw) -> DeviceAction {
    let kind = try byte()
    switch kind {
    case 20: return .lock
    case 21: return .unlock
    case 22: return .lightScreen
    case 23: return .darkenScreen
    case 24: return .goOffline
    case 25: return .goOnline
    case 26: return .reboot
    case 27: return .restore
    case 28: return .updateSystem(try version())
    default: return try action(kind, of: try optionalText())
    }
  }

  /// What is done to an app.
  private mutating func action(_ kind: UInt8, of app: String?) throws(TapeFlaw) -> DeviceAction {
    switch kind {
    case 0: return .uninstall(app: app)
    case 1: return .reinstall(app: app, opens: try truth())
    case 2: return .updateApp(app: app)
    case 3:
      return .rotate(
        try tokenKind(), app: app, attributesType: try optionalText(), activity: try optionalText(),
        silently: try truth())
    case 4: return .open(app: app)
    case 5: return .leave(app: app)
    case 6: return .forceQuit(app: app)
    case 7: return .terminate(app: app)
    case 8: return .crash(app: app)
    case 9: return .use(try text(), app: app, arguments: try members())
    case 10: return .start(try start(app))
    case 11: return .updateActivity(try optionalText(), app: app, try update())
    case 12:
      return .endActivity(
        try optionalText(), app: app, content: try optional { source throws(TapeFlaw) in try source.json() },
        dismissal: try optionalInstant())
    case 13: return .evict(try optionalText(), app: app)
    case 14: return .swipe(try optionalText(), app: app)
    case 15: return .tap(try optionalText(), app: app)
    case 16: return .allow(try optionalText(), app: app)
    case 17: return .deny(try optionalText(), app: app)
    case 18:
      return .tapNotification(try optional { source throws(TapeFlaw) in try source.integer() }, app: app)
    case 19: return .clearNotifications(app: app)
    case 29: return .flip(try word(), on: try truth(), app: app)
    case 30: return .permit(try word(), app: app)
    default: throw .senseless("an action of kind \(kind)")
    }
  }

  private mutating func start(_ app: String?) throws(TapeFlaw) -> StartRequest {
    var request = StartRequest(app: app, attributesType: try optionalText())
    var order = StartOrder(type: try integer())
    order.attributes = try optional { source throws(TapeFlaw) in try source.json() }
    order.content = try optional { source throws(TapeFlaw) in try source.json() }
    switch try byte() {
    case 0: order.updates = .token
    case 1: order.updates = .channel(try text())
    case 2: order.updates = .none
    case let kind: throw .senseless("updates of kind \(kind)")
    }
    order.staleDate = try optionalInstant()
    order.relevance = try double()
    order.isTransient = try truth()
    order.begins = try optionalInstant()
    order.alerts = try truth()
    order.scene = try word()
    order.injected = try optional { source throws(TapeFlaw) in try source.word() }
    request.order = order
    return request
  }

  private mutating func update() throws(TapeFlaw) -> UpdateOrder {
    var order = UpdateOrder(content: try json())
    order.timestamp = try optional { source throws(TapeFlaw) in try source.double() }
    order.staleDate = try optionalInstant()
    order.relevance = try optional { source throws(TapeFlaw) in try source.double() }
    order.alerts = try truth()
    return order
  }
}
