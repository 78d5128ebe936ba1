import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

/// `Activity.request`, and the cases of `ActivityAuthorizationError` it throws
/// (docs/behavior/live-activities.md#local-start-errors).
@Suite("A start by the app")
struct LocalStartTests {
  /// A phone, what is done to it, and a request that throws there and is sound but for one thing.
  struct Rejection: Sendable, CustomTestStringConvertible {
    let error: AuthorizationError
    let why: String
    let stage: @Sendable () throws -> (Stage, StartActivity)

    init(
      _ error: AuthorizationError, _ why: String,
      _ stage: @escaping @Sendable () throws -> (Stage, StartActivity)
    ) {
      self.error = error
      self.why = why
      self.stage = stage
    }

    var testDescription: String { "\(error.rawValue): \(why)" }
  }

  private static func request(_ change: (inout ActivityStartRequest) -> Void = { _ in }) -> StartActivity {
    var request = StartActivity()
    request.order.attributes = ["home": "A"]
    request.order.content = ["score": 1]
    change(&request.order)
    return request
  }

  private static func after(
    _ actions: [DeviceAction], os: OSVersion = OSVersion(26, 1),
    _ change: @escaping @Sendable (inout ActivityStartRequest) -> Void
  ) -> @Sendable () throws -> (Stage, StartActivity) {
    {
      var stage = Stage(os: os)
      for action in actions { try stage.order(action) }
      return (stage, request(change))
    }
  }

  private static let other = AppProfile(bundleID: "com.example.other", teamID: Stage.team, attributesTypes: ["M"])
  private static let later = Stage.began.advanced(by: .seconds(3600))

  static let refusals = [
    Rejection(
      .denied, "Live Activities of the app are off", after([.flip(.liveActivities, on: false, app: nil)]) { _ in }),
    Rejection(.denied, "Live Activities are off", after([.flip(.allLiveActivities, on: false, app: nil)]) { _ in }),
    Rejection(.visibility, "from the background", after([]) { $0.scene = .background }),
    Rejection(.visibility, "an intent before iOS 17", after([], os: OSVersion(16, 6)) { $0.scene = .intent }),
    Rejection(
      .targetMaximumExceeded, "the sixth of an app",
      after(Array(repeating: .startActivity(app: nil, attributesType: nil), count: 5)) { _ in }),
    Rejection(
      .targetMaximumExceeded, "a scheduled one counts too",
      {
        var stage = Stage()
        let scheduled = request {
          $0.begins = later
          $0.alerts = true
        }
        for _ in 0..<5 { try stage.order(.start(scheduled)) }
        return (stage, request())
      }),
    Rejection(
      .globalMaximumExceeded, "the ninth of a phone",
      {
        var stage = Stage(apps: [Stage.profiles[0], other])
        for _ in 0..<5 { try stage.order(.startActivity(app: other.bundleID, attributesType: nil)) }
        for _ in 0..<3 { try stage.order(.start(request())) }
        return (stage, request())
      }),
    Rejection(
      .attributesTooLarge, "attributes and content of 4,097 bytes",
      after([]) { $0.content = content(filling: 4097, beside: $0.attributes) }),
    Rejection(.unsupported, "before iOS 16.1", after([], os: OSVersion(16, 0)) { _ in }),
    Rejection(.unsupported, "a transient one before iOS 18", after([], os: OSVersion(17, 6)) { $0.isTransient = true }),
    Rejection(
      .unsupported, "a channel before iOS 18",
      {
        var stage = Stage(os: OSVersion(17, 6))
        let channel = try stage.makeChannel(storing: true)
        return (stage, request { $0.updates = .channel(channel) })
      }),
    Rejection(
      .unsupported, "a scheduled one before iOS 26",
      after([], os: OSVersion(18, 6)) {
        $0.begins = later
        $0.alerts = true
      }),
    Rejection(.unsupported, "a scheduled one without an alert", after([]) { $0.begins = later }),
    Rejection(
      .unentitled, "without NSSupportsLiveActivities",
      {
        var profile = Stage.profiles[0]
        profile.traits.supportsLiveActivities = false
        return (Stage(apps: [profile]), request())
      }),
  ]

  /// A content with which both together have that many bytes as JSON.
  private static func content(filling bytes: Int, beside attributes: JSONValue?) -> JSONValue {
    let room = bytes - (attributes?.text.utf8.count ?? 0) - #"{"x":""}"#.utf8.count
    return ["x": .string(String(repeating: "a", count: room))]
  }

  @Test(
    "a start that the app may not make throws the documented error, starts nothing and yields no token",
    arguments: refusals)
  func refused(_ rejection: Rejection) throws {
    var (stage, request) = try rejection.stage()
    let before = stage.cards().map(\.id)
    let count = try stage.app().activities.count
    _ = stage.events()
    try stage.order(.start(request))
    let happened = stage.happened()
    #expect(happened.filter { $0.name == "activityRefused" } == [.activityRefused(rejection.error)])
    #expect(!happened.contains { $0.activity != nil }, "\(happened)")
    stage.advance(by: .seconds(60))
    #expect(try stage.cards().map(\.id) == before && stage.app().activities.count == count)
    #expect(!stage.yieldedTokens().contains { $0.isActivity })
  }

  @Test("each error can be injected, and is shown in the device's log", arguments: AuthorizationError.allCases)
  func injected(_ error: AuthorizationError) throws {
    var stage = Stage()
    _ = stage.events()
    try stage.order(.start(Self.request { $0.injected = error }))
    let refused = DeviceEvent.activityRefused(error)
    #expect(stage.happened().contains(refused) && stage.cards().isEmpty)
    #expect(refused.sentence.contains(".\(error.rawValue): \(error.sentence)") && refused.process == .liveactivitiesd)
    // The next request is none the worse for it.
    try stage.order(.start(Self.request()))
    #expect(stage.cards().count == 1)
  }

  @Test("the errors are those of ActivityKit, each with its own sentence")
  func names() {
    let names: Set = [
      "attributesTooLarge", "denied", "globalMaximumExceeded", "malformedActivityIdentifier",
      "missingProcessIdentifier", "persistenceFailure", "reconnectNotPermitted", "targetMaximumExceeded", "unentitled",
      "unsupported", "unsupportedTarget", "visibility",
    ]
    #expect(Set(AuthorizationError.allCases.map(\.rawValue)) == names)
    #expect(Set(AuthorizationError.allCases.map(\.sentence)).count == names.count)
  }

  /// Requests at a limit; each throws with one byte, one version or one activity more.
  @Test("at the limits it still starts")
  func limits() throws {
    let later = Self.later
    let sound: [(String, @Sendable () throws -> (Stage, StartActivity))] = [
      ("4,096 bytes", Self.after([]) { $0.content = Self.content(filling: 4096, beside: $0.attributes) }),
      ("iOS 16.1", Self.after([], os: OSVersion(16, 1)) { _ in }),
      ("an intent on iOS 17", Self.after([], os: OSVersion(17, 0)) { $0.scene = .intent }),
      ("transient on iOS 18", Self.after([], os: OSVersion(18, 0)) { $0.isTransient = true }),
      (
        "the fifth of an app",
        Self.after(Array(repeating: .startActivity(app: nil, attributesType: nil), count: 4)) { _ in }
      ),
      (
        "scheduled on iOS 26",
        Self.after([], os: OSVersion(26, 0)) {
          $0.begins = later
          $0.alerts = true
        }
      ),
    ]
    for (what, make) in sound {
      var (stage, request) = try make()
      let count = try stage.app().activities.count
      _ = stage.events()
      try stage.order(.start(request))
      #expect(!stage.happened().contains { $0.name == "activityRefused" }, "\(what)")
      #expect(try stage.app().activities.count == count + 1, "\(what)")
    }
  }

  @Test("S67: it is shown with the given content, and the app gets it and its token")
  func local() throws {
    var stage = Stage()
    _ = stage.events()
    try stage.order(.start(Self.request()))
    let card = try #require(stage.cards().first)
    #expect(card.state == .active && card.attributes == ["home": "A"] && card.content == ["score": 1])
    let yields = stage.yields()
    let activity = try #require(yields.firstIndex(of: .activityYielded(0)))
    let token = try #require(yields.firstIndex(of: .tokenYielded(.update(activity: 0))))
    #expect(activity < token)
    stage.advance(by: .seconds(1))
    #expect(try stage.pushActivity("update").fate.updates(0))
  }
}
