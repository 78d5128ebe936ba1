import APNs
import Devices
import Simulation
import Testing
import Timeline

@Suite("Queries of the world")
struct QueryTests {
  @Test("a device is shown with its apps, tokens and activities")
  func device() throws {
    var stage = Stage()
    try stage.order(.startActivity(app: nil, attributesType: "RaceAttributes"))
    let view = try stage.view()
    #expect(view.id == DeviceID(0) && view.isOnline && view.os == OSVersion(26, 1) && view.apps.count == 2)
    let app = try stage.app()
    #expect(app.isInstalled && app.environment == .sandbox)
    #expect(try app.deviceToken == stage.token())
    #expect(app.services.map(\.kind) == [.service(.voip)] && app.startTokens.count == 2)
    #expect(app.activities.map(\.attributesType) == ["RaceAttributes"] && app.activities.first?.endedAt == nil)
    #expect(view.apps.last?.environment == .production)
    #expect(stage.world.device(DeviceID(100), at: stage.now.world) == nil)
  }

  @Test("an app that was deleted shows no tokens")
  func deleted() throws {
    var stage = Stage()
    try stage.order(.startActivity(app: nil, attributesType: nil))
    try stage.order(.uninstall(app: nil))
    let app = try stage.app()
    #expect(!app.isInstalled && app.deviceToken == nil && app.startTokens.isEmpty && app.services.isEmpty)
    #expect(app.activities.map(\.isOver) == [true])
    var filter = Filter()
    filter.app = Stage.app
    let shown = stage.world.tokens(filter, from: .init(device: 0, skip: 0), limit: 5, at: stage.now.world).tokens
      .filter { $0.device == DeviceID(0) }
    // What the backend under test still has in its database, each shown as dead.
    #expect(shown.map(\.kind) == [.device, .service(.voip), .pushToStart, .pushToStart, .update])
    #expect(shown.allSatisfy { !$0.isLive })
  }

  @Test("a rotated token is listed as dead beside the live one")
  func rotatedIsListed() throws {
    var stage = Stage()
    let first = try #require(try stage.app().deviceToken)
    try stage.order(.rotate(.device, app: nil, attributesType: nil, activity: nil))
    var filter = Filter()
    filter.tokenKind = .device
    filter.app = Stage.app
    let shown = stage.world.tokens(filter, from: .init(device: 0, skip: 0), limit: 2, at: stage.now.world).tokens
    #expect(shown.map(\.token) == [first, try stage.app().deviceToken])
    #expect(shown.map(\.isLive) == [false, true])
  }

  @Test("devices are listed page by page, without a gap or a repetition")
  func devicePages() {
    let stage = Stage(devices: 23)
    for limit in [1, 5, 23, 100] {
      var read: [UInt32] = []
      var next: UInt32? = 0
      while let start = next {
        let page = stage.world.devices(.init(), from: start, limit: limit, at: stage.now.world)
        read += page.devices.map(\.id.number)
        next = page.next
      }
      #expect(read == Array(0..<23), "limit \(limit)")
    }
  }

  @Test("devices are narrowed by app, version and whether they are online")
  func deviceFilters() throws {
    var stage = Stage(devices: 200, os: nil)
    try stage.order(.goOffline, on: 17)
    try stage.order(.uninstall(app: Stage.app), on: 18)
    func list(_ change: (inout Filter) -> Void) -> [DeviceView] {
      var filter = Filter()
      change(&filter)
      return stage.world.devices(filter, from: 0, limit: 1000, at: stage.now.world).devices
    }
    #expect(list { $0.isOnline = false }.map(\.id.text) == ["d17"])
    #expect(list { $0.app = Stage.app }.count == 199 && list { $0.app = "com.unknown" }.isEmpty)
    #expect(list { $0.os = OSPattern(17) }.allSatisfy { $0.os.major == 17 } && !list { $0.os = OSPattern(17) }.isEmpty)
    #expect(list { $0.os = OSPattern(26, 1) }.count == list { $0.os = OSPattern(26) }.count)
  }

  @Test("a search with few matches checks a bounded number of devices, and returns where to continue")
  func boundedSearch() {
    let stage = Stage(devices: 250_000)
    var filter = Filter()
    filter.isOnline = false
    var next: UInt32? = 0
    var pages = 0
    while let start = next {
      let page = stage.world.devices(filter, from: start, limit: 10, at: stage.now.world)
      #expect(page.devices.isEmpty)
      next = page.next
      pages += 1
    }
    #expect(pages == 3)
  }

  @Test("a search for tokens skips unchanged devices, and finds their tokens")
  func untouchedAreSkipped() throws {
    var stage = Stage(devices: 250_000)
    try stage.order(.rotate(.device, app: nil, attributesType: nil, activity: nil), on: 249_999)
    var filter = Filter()
    filter.isLive = false
    #expect(pages(filter, of: stage).map(\.count) == [0, 0, 1])
    // No app has that service: of the untouched devices none is gone through.
    filter = Filter()
    filter.tokenKind = .service(.controls)
    #expect(pages(filter, of: stage).map(\.count) == [0, 0, 0])
  }

  @Test("a search for tokens checks a bounded number of devices, and returns where to continue")
  func boundedTokenSearch() {
    // No push-to-start token below iOS 17.2, which only the device itself tells.
    let stage = Stage(devices: 12_000, os: OSVersion(16, 7))
    var filter = Filter()
    filter.tokenKind = .pushToStart
    #expect(pages(filter, of: stage).map(\.count) == [0, 0, 0])
    filter.tokenKind = .device
    filter.app = Stage.app
    let found = pages(filter, of: stage).flatMap(\.self)
    #expect(found.map(\.device.number) == Array(0..<12_000))
  }

  @Test("initial activities that have ended are found on unchanged devices")
  func ranOut() {
    let app = AppProfile(
      bundleID: Stage.app, teamID: Stage.team, attributesTypes: ["MatchAttributes"], runningActivities: 2)
    var stage = Stage(devices: 30, apps: [app])
    var filter = Filter()
    filter.isLive = false
    #expect(pages(filter, of: stage).flatMap(\.self).isEmpty)
    stage.advance(by: .seconds(8 * 3600))
    #expect(pages(filter, of: stage).flatMap(\.self).map(\.kind) == Array(repeating: .update, count: 60))
    filter.isLive = true
    filter.tokenKind = .update
    #expect(pages(filter, of: stage).flatMap(\.self).isEmpty)
  }

  private func pages(_ filter: Filter, of stage: Stage) -> [[TokenView]] {
    var pages: [[TokenView]] = []
    var next: World.TokenCursor? = .init(device: 0, skip: 0)
    while let start = next, pages.count < 1000 {
      let page = stage.world.tokens(filter, from: start, limit: 1000, at: stage.now.world)
      pages.append(page.tokens)
      next = page.next
    }
    return pages
  }

  @Test("tokens are listed page by page, also within a device")
  func tokenPages() throws {
    var stage = Stage(devices: 7)
    for _ in 0..<4 { try stage.order(.startActivity(app: nil, attributesType: nil), on: 3) }
    let all = stage.world.tokens(.init(), from: .init(device: 0, skip: 0), limit: 1000, at: stage.now.world).tokens
    #expect(all.count == 7 * 7 + 4 && Set(all.map(\.token)).count == all.count)
    for limit in 1...10 {
      var read: [String] = []
      var next: World.TokenCursor? = .init(device: 0, skip: 0)
      while let start = next {
        let page = stage.world.tokens(.init(), from: start, limit: limit, at: stage.now.world)
        #expect(page.tokens.count <= limit)
        read += page.tokens.map(\.token)
        next = page.next
      }
      #expect(read == all.map(\.token), "limit \(limit)")
    }
  }

  @Test("tokens are narrowed by kind, app, environment and whether they are live")
  func tokenFilters() throws {
    var stage = Stage(devices: 3)
    for _ in 0..<2 { try stage.order(.startActivity(app: nil, attributesType: nil)) }
    try stage.order(.endActivity(try stage.app().activities[0].id, app: nil))
    func list(_ change: (inout Filter) -> Void) -> [TokenView] {
      var filter = Filter()
      change(&filter)
      return stage.world.tokens(filter, from: .init(device: 0, skip: 0), limit: 1000, at: stage.now.world).tokens
    }
    #expect(list { $0.tokenKind = .device }.count == 6 && list { $0.tokenKind = .update }.count == 2)
    #expect(list { $0.tokenKind = .pushToStart }.map(\.attributesType).count == 9)
    #expect(list { $0.app = Stage.store }.allSatisfy { $0.environment == .production })
    #expect(list { $0.environment = .production }.count == 9)
    #expect(list { $0.isLive = false }.map(\.kind) == [.update])
    #expect(list { $0.isLive = true }.count == list { _ in }.count - 1)
    let names = list { $0.tokenKind = .update }.compactMap(\.activity)
    #expect(try names == stage.app().activities.map(\.id))
  }
}
