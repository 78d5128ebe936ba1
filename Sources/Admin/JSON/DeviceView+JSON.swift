import APNs
import Devices
import Simulation
import Timeline
import WireFormats

extension DeviceView {
  var json: JSONValue {
    [
      "id": .string(id.text), "os": .string(os.text), "online": .bool(isOnline), "locked": .bool(isOn(.locked)),
      "screenOn": .bool(isOn(.screenOn)), "unlockedSinceReboot": .bool(!isOn(.beforeFirstUnlock)),
      "dynamicIsland": .bool(hasIsland), "watch": .bool(hasWatch), "lowPower": .bool(isOn(.lowPower)),
      "batteryLow": .bool(isOn(.batteryBelow20)), "thermalPressure": .bool(isOn(.thermalSerious)),
      "charging": .bool(isOn(.charging)), "focus": .bool(isOn(.focus)),
      "timeSensitive": .bool(isOn(.timeSensitiveAllowed)), "standBy": .bool(isOn(.onItsSide)),
      "carPlay": .bool(isOn(.inCar)), "mac": .bool(isOn(.besideMac)),
      "clockAhead": .double(clockAhead / .seconds(1)), "allLiveActivities": .bool(!isOn(.activitiesOff)),
      "storedPushes": JSONValue(waiting), "apps": .array(apps.map(\.json)),
    ]
  }
}

extension DeviceView {
  private func isOn(_ condition: DeviceCondition) -> Bool { self.condition.contains(condition) }
}

extension DeviceView.App {
  fileprivate var json: JSONValue {
    [
      "bundleId": .string(profile.bundleID), "teamId": .string(profile.teamID),
      "environment": .string(environment.rawValue), "installed": .bool(isInstalled),
      "state": .string(isInstalled ? life.rawValue : "deleted"), "notifications": .string(permission.rawValue),
      "liveActivities": .bool(allowances.contains(.liveActivities)),
      "frequentUpdates": .bool(allowances.contains(.frequentUpdates)),
      "backgroundRefresh": .bool(allowances.contains(.backgroundRefresh)),
      "updateBudget": .string(level.rawValue), "startsLeft": JSONValue(startsLeft),
      "deviceToken": JSONValue(deviceToken),
      "services": .array(services.map { ["kind": .string($0.kind.name), "token": .string($0.token)] }),
      "pushToStart": .array(
        startTokens.map { ["attributesType": .string($0.attributesType), "token": .string($0.token)] }),
      "activities": .array(activities.map(\.json)),
    ]
  }
}

extension DeviceView.Activity {
  fileprivate var json: JSONValue {
    [
      "id": .string(id), "attributesType": .string(attributesType), "state": .string(state.rawValue),
      "startedAt": .string(startedAt.rfc3339), "endedAt": JSONValue(endedAt?.rfc3339),
      "updateToken": JSONValue(token), "startedBy": .string(origin.rawValue),
      "updatesLeft": budgetLeft.map { JSONValue($0) } ?? .null,
    ]
  }
}

extension TokenView {
  var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("token", .string(token)), .init("kind", .string(kind.name)), .init("device", .string(device.text)),
      .init("app", .string(app)), .init("topic", .string(topic)), .init("environment", .string(environment.rawValue)),
    ]
    if let attributesType { members.append(.init("attributesType", .string(attributesType))) }
    if let activity { members.append(.init("activity", .string(activity))) }
    members.append(.init("live", .bool(isLive)))
    members.append(.init("given", .bool(isGiven)))
    return .object(members)
  }
}
