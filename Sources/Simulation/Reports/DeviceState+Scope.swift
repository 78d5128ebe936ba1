import APNs
import Devices
import Reporting
import Timeline
import WireFormats

/// The subject of an app's event.
enum ReportSubject {
  case nothing
  case value(Bool)
  case token(TokenSlot)
  case activity(UInt32)
  case notification(UInt32)
  case tappedCard(UInt32)
  /// A text that the person wrote under a notification.
  case reply(UInt32, String)
  case error(AuthorizationError)
  case arguments([JSONValue.Member])
}

/// The values that templates of a report may use.
extension DeviceState {
  /// - Parameter clock: the time of the phone's own clock.
  func scope(
    of event: ReportEvent, about subject: ReportSubject, plan: ReportPlan, in moment: AppContext, clock: Instant
  ) -> TemplateScope {
    let (app, device, now) = (moment.app, moment.device, moment.now)
    var scope = TemplateScope()
    scope[.backend] = .string(plan.backend)
    scope[.event] = .string(event.name)
    scope[.time] = [
      "unix": .integer(clock.seconds), "milliseconds": .integer(clock.milliseconds),
      "iso": .string(CivilTime(milliseconds: clock.milliseconds).text),
    ]
    scope[.device] = [
      "id": .string(device.text), "number": .integer(Int64(device.number)), "os": .string(fleet.os(of: device).text),
    ]
    scope[.install] = installValue(app, device)
    let user = fleet.owner(of: device)
    let session = reports.draws.session.wideBits(UInt64(user.number), UInt64(app))
    scope[.user] = [
      "id": .string(user.text),
      "session": .string(String(session.0, radix: 36) + String(session.1, radix: 36)),
    ]
    switch subject {
    case .nothing: break
    case .value(let value): scope[.value] = .bool(value)
    case .token(let slot): describe(slot, app: app, on: device, in: &scope, at: now)
    case .activity(let number): describe(number, app: app, on: device, in: &scope, at: now)
    case .notification(let number): describe(notification: number, app: app, on: device, in: &scope)
    case .tappedCard(let number):
      describe(number, app: app, on: device, in: &scope, at: now)
      scope[.link] = link(of: number, app: app, on: device, at: now).map { .string($0) }
    case .reply(let number, let text):
      describe(notification: number, app: app, on: device, in: &scope)
      scope[.reply] = .string(text)
    case .error(let error): scope[.error] = .string(error.rawValue)
    case .arguments(let members): scope[.arg] = .object(members)
    }
    return scope
  }

  private func installValue(_ app: Int, _ device: DeviceID) -> JSONValue {
    let install = fleet.install(device, app: app)
    let profile = fleet.plan.apps[app]
    let generation = reports[device, app].generation
    let idfv = NotificationID(
      bits: reports.draws.identity.wideBits(UInt64(device.number), generation << 8 | UInt64(app)))
    var starts: [JSONValue.Member] = []
    if install.hasTokens, fleet.phone(device).hasStartToken(app, fleet.model) {
      for (number, type) in profile.types.enumerated() {
        if let token = fleet.token(device, app: app, slot: .pushToStart(type: number)) {
          starts.append(JSONValue.Member(type.name, .string(token.text)))
        }
      }
    }
    let token = install.hasTokens ? fleet.token(device, app: app, slot: .app) : nil
    return [
      "bundleId": .string(profile.bundleID), "idfv": .string(idfv.text), "launches": .integer(Int64(install.launches)),
      "environment": .string(fleet.environment(of: device, app: app).rawValue),
      "token": token.map { .string($0.text) } ?? .null, "startTokens": .object(starts),
    ]
  }

  private func describe(
    _ slot: TokenSlot, app: Int, on device: DeviceID, in scope: inout TemplateScope, at now: Instant
  ) {
    if let token = fleet.token(device, app: app, slot: slot) {
      let bytes = (0..<token.count).map { token.bytes[$0] }
      scope[.token] = ["hex": .string(token.text), "base64": .string(Base64.encode(bytes))]
    }
    switch slot {
    case .app: break
    case .service: scope[.service] = .string(slot.kind.name)
    case .pushToStart(let type): scope[.attributesType] = .string(fleet.plan.apps[app].types[type].name)
    case .update(let number): describe(number, app: app, on: device, in: &scope, at: now)
    }
  }

  private func describe(_ number: UInt32, app: Int, on device: DeviceID, in scope: inout TemplateScope, at now: Instant)
  {
    guard let activity = fleet.install(device, app: app).activity(number) else { return }
    let type = fleet.plan.apps[app].types[activity.type].name
    scope[.attributesType] = .string(type)
    scope[.activity] = [
      "id": .string(fleet.activityName(device, app: app, number: number)), "attributesType": .string(type),
      "state": .string(activity.state(fleet.policy, at: now).rawValue), "startedBy": .string(activity.origin.rawValue),
    ]
    scope[.attributes] = activity.attributes.value("attributes")
    scope[.contentState] = activity.content.value("content-state")
  }

  /// The link of a card, by the template of its type.
  private func link(of number: UInt32, app: Int, on device: DeviceID, at now: Instant) -> String? {
    guard let activity = fleet.install(device, app: app).activity(number) else { return nil }
    return fleet.plan.apps[app].types[activity.type].card?.link?.text(
      activity.attributes.value("attributes"), activity.shown(at: now).content.value("content-state"))
  }

  private func describe(notification number: UInt32, app: Int, on device: DeviceID, in scope: inout TemplateScope) {
    guard let shown = fleet.install(device, app: app).notifications.notification(number) else {
      return scope[.notification] = ["number": .integer(Int64(number))]
    }
    let alert = shown.text(fleet.plan.apps[app].traits.strings, in: fleet.model.mix.language).alert
    let payload = try? JSONValue.parse(shown.payload)
    scope[.notification] = [
      "number": .integer(Int64(number)), "title": .string(alert.title), "body": .string(alert.body),
      "payload": payload ?? .null,
    ]
  }
}
