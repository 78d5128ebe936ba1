import APNs
import Devices
import Timeline
import WireFormats

/// Writes an action in the form that `ActionReader` reads.
package enum ActionWriter {
  package static func json(_ action: DeviceAction) -> JSONValue {
    var object = ObjectWriter()
    put(action, into: &object)
    return object.json
  }

  private static func put(_ action: DeviceAction, into object: inout ObjectWriter) {
    func put(_ name: String, _ app: String?, _ activity: String? = nil) {
      object.put("do", name)
      object.put("app", app)
      object.put("activity", activity)
    }
    switch action {
    case .uninstall(let app): put("uninstall", app)
    case .reinstall(let app, let opens):
      put("reinstall", app)
      if !opens { object.put("open", JSONValue.bool(false)) }
    case .updateApp(let app): put("updateApp", app)
    case .rotate(let kind, let app, let type, let activity, let silently):
      put("rotate", app, activity)
      object.put("kind", kind.name)
      object.put("attributesType", type)
      object.put("silent", if: silently)
    case .open(let app): put("open", app)
    case .leave(let app): put("leave", app)
    case .forceQuit(let app): put("forceQuit", app)
    case .terminate(let app): put("terminate", app)
    case .crash(let app): put("crash", app)
    case .use(let name, let app, let arguments):
      put("use", app)
      object.put("action", name)
      if !arguments.isEmpty { object.put("arguments", .object(arguments)) }
    case .start(let request):
      put("startActivity", request.app)
      self.put(request, into: &object)
    case .updateActivity(let name, let app, let order):
      put("updateActivity", app, name)
      self.put(order, into: &object)
    case .endActivity(let name, let app, let content, let dismissal):
      put("endActivity", app, name)
      object.put("contentState", content)
      object.put("dismissalDate", dismissal)
    case .evict(let name, let app): put("evict", app, name)
    case .swipe(let name, let app): put("swipe", app, name)
    case .tap(let name, let app): put("tap", app, name)
    case .longPress(let name, let app): put("longPress", app, name)
    case .allow(let name, let app): put("allow", app, name)
    case .deny(let name, let app): put("deny", app, name)
    case .tapNotification(let number, let app):
      put("tapNotification", app)
      object.put("notification", number.map { UInt64($0) })
    case .clearNotifications(let app): put("clearNotifications", app)
    case .setClock(let ahead):
      put("setClock", nil)
      object.put("ahead", ahead)
    case .updateSystem(let version):
      put("updateSystem", nil)
      object.put("os", version.text)
    case .flip(let what, let on, let app):
      put("switch", app)
      object.put("what", what.rawValue)
      object.put("on", JSONValue.bool(on))
    case .permit(let permission, let app):
      put("permit", app)
      object.put("notifications", permission.rawValue)
    case .lock, .unlock, .lightScreen, .darkenScreen, .goOffline, .goOnline, .reboot, .restore:
      put(plainName(action), nil)
    }
  }

  /// The name of an action without parameters.
  private static func plainName(_ action: DeviceAction) -> String {
    switch action {
    case .lock: "lock"
    case .unlock: "unlock"
    case .lightScreen: "lightScreen"
    case .darkenScreen: "darkenScreen"
    case .goOffline: "goOffline"
    case .goOnline: "goOnline"
    case .reboot: "reboot"
    default: "restore"
    }
  }

  private static func put(_ request: StartActivityRequest, into object: inout ObjectWriter) {
    let order = request.order
    object.put("attributesType", request.attributesType)
    object.put("attributes", order.attributes)
    object.put("contentState", order.content)
    switch order.updates {
    case .token: break
    case .channel(let id):
      object.put("pushType", "channel")
      object.put("channel", id)
    case .none: object.put("pushType", "none")
    }
    object.put("staleDate", order.staleDate)
    if order.relevance != 0 { object.put("relevanceScore", order.relevance) }
    if order.isTransient { object.put("style", "transient") }
    object.put("startDate", order.begins)
    object.put("alert", if: order.alerts)
    if order.scene != .foreground { object.put("from", order.scene.rawValue) }
    object.put("error", order.injected?.rawValue)
  }

  private static func put(_ order: ActivityUpdateRequest, into object: inout ObjectWriter) {
    object.put("contentState", order.content)
    object.put("timestamp", order.timestamp)
    object.put("staleDate", order.staleDate)
    object.put("relevanceScore", order.relevance)
    object.put("alert", if: order.alerts)
  }
}
