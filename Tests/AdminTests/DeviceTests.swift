import APNs
import Testing
import WireFormats

@testable import Admin

@Suite("Devices over the admin API")
struct DeviceTests {
  @Test("devices have the documented members, in their order")
  func shape() {
    var office = Office(runningActivities: 1)
    let device = office.get("/v1/devices/d3")
    #expect(
      device.members?.map(\.key) == [
        "id", "user", "os", "online", "locked", "screenOn", "unlockedSinceReboot", "dynamicIsland", "watch",
        "lowPower", "batteryLow", "thermalPressure", "charging", "focus", "timeSensitive", "standBy", "carPlay", "mac",
        "clockAhead", "allLiveActivities", "storedPushes", "apps",
      ])
    let app = device["apps"]?.elements?.first
    #expect(
      app?.members?.map(\.key) == [
        "bundleId", "teamId", "environment", "installed", "state", "notifications", "liveActivities",
        "frequentUpdates", "backgroundRefresh", "updateBudget", "startsLeft", "deviceToken", "services", "pushToStart",
        "activities",
      ])
    #expect(app?["services"]?.elements?.first?["kind"] == "voip")
    let activity = app?["activities"]?.elements?.first
    #expect(
      activity?.members?.map(\.key) == [
        "id", "attributesType", "state", "startedAt", "endedAt", "updateToken", "startedBy", "updatesLeft",
      ])
    #expect(activity?["state"] == "active" && activity?["endedAt"] == .null && activity?["startedBy"] == "fleet")
    #expect(activity?["startedAt"] == "2026-03-01T12:00:00.000Z")
  }

  @Test("devices are listed in pages, each device once", arguments: [1, 7, 20, 1000])
  func paging(limit: Int) {
    var office = Office()
    var seen: [String] = []
    var target: String? = "/v1/devices?limit=\(limit)"
    while let asked = target {
      let page = office.get(asked)
      seen += (page["devices"]?.elements ?? []).compactMap { $0["id"]?.string }
      target = page["next"]?.string.map { "/v1/devices?limit=\(limit)&cursor=\($0)" }
    }
    #expect(seen == (0..<20).map { "d\($0)" })
  }

  @Test("devices can be restricted to a version, a major version, a state or an app")
  func filters() {
    var office = Office()
    func ids(_ query: String) -> Set<String> {
      Set((office.get("/v1/devices?\(query)")["devices"]?.elements ?? []).compactMap { $0["id"]?.string })
    }
    let eighteen = ids("os=18")
    #expect(!eighteen.isEmpty && eighteen == ids("os=18.5") && ids("os=18.4").isEmpty)
    #expect(eighteen.union(ids("os=26")).count == 20 && eighteen.isDisjoint(with: ids("os=26.1")))
    _ = office.act("d3", ["do": "goOffline"])
    _ = office.act("d4", ["do": "uninstall", "app": "com.example.app"])
    #expect(ids("online=false") == ["d3"] && ids("online=true").count == 19)
    // The parameter of an earlier version.
    let former = office.ask("GET", "/v1/devices?state=offline")
    #expect(former.status == 400 && former.error.hasSuffix("did you mean online?"), "\(former.error)")
    #expect(ids("app=com.example.app").count == 19 && ids("app=com.example.store").count == 20)
    #expect(ids("app=com.unknown").isEmpty && ids("cursor=4294967295").isEmpty)
  }

  @Test(
    "a device that does not exist returns 404",
    arguments: ["d20", "d999999999", "d99999999999999", "17", "nonsense", "D3", "d03"])
  func unknown(id: String) {
    var office = Office()
    let response = office.ask("GET", "/v1/devices/\(id)")
    #expect(response.status == 404 && response.error.hasSuffix("this fleet has d0 to d19.") && response.field == "id")
    #expect(office.act(id, ["do": "reboot"]).status == 404)
  }
}
