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
    func put(_ app: String?, _ activity: String? = nil) {
      object.put("app", app)
      object.put("activity", activity)
    }
    object.put("do", name(action))
    switch action {
    case .uninstall(let app), .updateApp(let app), .open(let app), .leave(let app), .forceQuit(let app),
      .terminate(let app), .crash(let app), .clearNotifications(let app):
      put(app)
    case .reinstall(let app, let opens):
      put(app)
      if !opens { object.put("open", JSONValue.bool(false)) }
    case .rotate(let kind, let app, let type, let activity, let silently):
      put(app, activity)
      object.put("kind", kind.name)
      object.put("attributesType", type)
      object.put("silent", if: silently)
    case .use(let name, let app, let arguments):
      put(app)
      object.put("action", name)
      if !arguments.isEmpty { object.put("arguments", .object(arguments)) }
    case .start(let request):
      put(request.app)
      self.put(request, into: &object)
    case .updateActivity(let name, let app, let order):
      put(app, name)
      self.put(order, into: &object)
    case .endActivity(let name, let app, let content, let dismissal):
      put(app, name)
      object.put("contentState", content)
      object.put("dismissalDate", dismissal)
    case .evict(let name, let app), .swipe(let name, let app), .tap(let name, let app), .longPress(let name, let app),
      .allow(let name, let app), .deny(let name, let app):
      put(app, name)
    case .tapNotification(let number, let app):
      put(app)
      object.put("notification", number.map { UInt64($0) })
    case .setClock(let ahead): object.put("ahead", ahead)
    case .updateSystem(let version): object.put("os", version.text)
    case .flip(let what, let on, let app):
      put(app)
      object.put("what", what.rawValue)
      object.put("on", JSONValue.bool(on))
    case .permit(let permission, let app):
      put(app)
      object.put("notifications", permission.rawValue)
    case .lock, .unlock, .lightScreen, .darkenScreen, .goOffline, .goOnline, .reboot, .restore: break
    }
  }

  /// The name of an action, from `DeviceAction.names`.
  private static func name(_ action: DeviceAction) -> String {
    switch action {
    case .uninstall: "uninstall"
    case .reinstall: "reinstall"
    case .updateApp: "updateApp"
    case .rotate: "rotate"
    case .open: "open"
    case .leave: "leave"
    case .forceQuit: "forceQuit"
    case .terminate: "terminate"
    case .crash: "crash"
    case .use: "use"
    case .start: "startActivity"
    case .updateActivity: "updateActivity"
    case .endActivity: "endActivity"
    case .evict: "evict"
    case .swipe: "swipe"
    case .tap: "tap"
    case .longPress: "longPress"
    case .allow: "allow"
    case .deny: "deny"
    case .tapNotification: "tapNotification"
    case .clearNotifications: "clearNotifications"
    case .lock: "lock"
    case .unlock: "unlock"
    case .lightScreen: "lightScreen"
    case .darkenScreen: "darkenScreen"
    case .goOffline: "goOffline"
    case .goOnline: "goOnline"
    case .reboot: "reboot"
    case .restore: "restore"
    case .setClock: "setClock"
    case .updateSystem: "updateSystem"
    case .flip: "switch"
    case .permit: "permit"
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
