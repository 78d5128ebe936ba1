import APNs
import Devices
import Simulation
import Testing
import Timeline

@Suite("The fleet")
struct FleetTests {
  @Test("of a million devices creates no phone before it is needed, and any of them answers")
  func million() throws {
    var stage = Stage(devices: 1_000_000, os: nil)
    #expect(stage.world.fleet.touchedCount == 0)
    let token = try stage.token(on: 999_999)
    #expect(try stage.push(token).fate.isDelivered)
    try stage.order(.goOffline, on: 999_999)
    #expect(try stage.push(token).fate == .stored(.offline))
    #expect(stage.world.fleet.touchedCount == 1)
  }

  @Test("a fleet has the iOS versions of its plan, the same ones in each run")
  func mix() {
    let fleet = Stage(devices: 100_000, os: nil).world.fleet
    var counts: [OSVersion: Int] = [:]
    for number: UInt32 in 0..<100_000 { counts[fleet.os(of: DeviceID(number)), default: 0] += 1 }
    for share in FleetPlan.standardMix {
      let expected = Int(share.parts) * 1000
      // Five standard deviations of the largest share.
      #expect(abs((counts[share.os] ?? 0) - expected) < 800, "\(share.os.text)")
    }
    let again = Stage(devices: 100, os: nil).world.fleet
    #expect((0..<100).allSatisfy { again.os(of: DeviceID($0)) == fleet.os(of: DeviceID($0)) })
  }

  @Test("a mixed app is in one environment on about half of the devices, and in the other on the rest")
  func mixedBuild() throws {
    let apps = [AppProfile(bundleID: Stage.app, teamID: Stage.team, build: .mixed)]
    var stage = Stage(devices: 10_000, apps: apps)
    let fleet = stage.world.fleet
    let sandbox = (0..<10_000).count { fleet.environment(of: DeviceID($0), app: 0) == .sandbox }
    #expect((4750...5250).contains(sandbox))
    for device: UInt32 in 0..<20 {
      let isSandbox = fleet.environment(of: DeviceID(device), app: 0) == .sandbox
      #expect(try stage.push(try stage.token(on: device)).reason == (isSandbox ? nil : .badDeviceToken))
      #expect(
        try stage.push(try stage.token(on: device), on: Stage.production).reason == (isSandbox ? .badDeviceToken : nil))
    }
  }

  @Test("a fleet contains its own devices only")
  func contains() {
    let fleet = Stage(devices: 3).world.fleet
    #expect(fleet.contains(DeviceID(2)) && !fleet.contains(DeviceID(3)) && !fleet.contains(DeviceID(.max)))
  }

  @Test("a person's phones are found without looking at the rest of the fleet")
  func phonesOfOne() {
    var phones = PhoneMix.ideal
    phones.twoPhones = .always
    var stage = Stage(devices: 1_000_000, phones: phones)
    var selection = Selection()
    selection.filter.user = UserID("u4")
    var cursor = DeviceCursor(selection)
    var (found, work): ([DeviceID], Int) = ([], 1_000)
    while let device = cursor.nextDevice(in: &stage.world, &work) { found.append(device) }
    #expect(found == [DeviceID(4), DeviceID(5)] && cursor.isAtEnd && work > 0)
  }

  @Test("a change to a device changes no other")
  func changedAlone() throws {
    var stage = Stage()
    try stage.order(.uninstall(app: Stage.app), on: 5)
    try stage.order(.goOffline, on: 99)
    for device: UInt32 in 0..<100 {
      #expect(stage.world.fleet.isOnline(DeviceID(device)) == (device != 99))
      #expect(stage.world.fleet.install(DeviceID(device), app: 0).isInstalled == (device != 5))
      #expect(stage.world.fleet.install(DeviceID(device), app: 1).isInstalled)
    }
  }
}
