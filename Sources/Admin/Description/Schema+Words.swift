import APNs
import Devices
import Grammar
import Reporting
import Simulation
import WireFormats

/// Types that many answers, bodies and parameters share.
extension Schema {
  static let next = string.orNull.named("Next", "`cursor` of the next page; null on the last page.")
  static let time = string.with(["format": "date-time", "example": "2026-03-01T12:00:00.000Z"])
    .named("Instant", "RFC 3339 in UTC with milliseconds, by the world's clock.")
  static let timeOrNull = string.orNull.with(["format": "date-time"])
  static let environment = words(Environment.self)
    .named("Environment", "One of APNs' two gateways, each with separate tokens.")
  static let tokenKind = words(TokenKind.allCases.map(\.name)).named(
    "TokenKind",
    """
    `device` is the app's own token, `pushToStart` starts Live Activities of one attributes type, `update` updates
    and ends one activity; the others are services with separate tokens.
    """)
  static let deviceID = string.with(["pattern": "^d(0|[1-9][0-9]{0,8})$"])
    .named("DeviceId", "`d` and the device's number in the fleet, from 0.")
  static let deviceIDs = list(of: deviceID).with(["maxItems": JSONValue(Selection.mostChanged)])
    .named("DeviceIds", "Only these devices. For one of them, `device` has the same meaning; use one of the two.")
  static let versionText = string.with(["pattern": #"^[1-9][0-9]?(\.[0-9]{1,2})?$"#])
  static let version = versionText.example("26.2").named("Version", "A version of iOS.")
  static let osPattern = either([versionText, integer.with(["minimum": 1, "maximum": 99])])
    .named("OSPattern", #"A version of iOS. `"18"` matches every 18; `"18.5"` only that version."#)
  static let pushType = words(PushType.self).named("ApnsPushType")
  static let apnsID = string.with([
    "format": "uuid", "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$",
  ]).named("ApnsId", "A UUID in its canonical form.")
  static let reason = words(RejectionReason.self).named("Reason", "Apple's reason of an error.")
  static let evidence = words(Evidence.Kind.self).named(
    "Evidence",
    """
    How we know: Apple documents it, developers observed it, it is our choice, or sources contradict each other.
    docs/behavior has details.
    """)
  static let process = words(LogProcess.self).named("Process")
  static let permission = words(NotificationPermission.self)
    .named("Permission", "The person's answer to the app's request for permission to notify.")
  static let phoneSwitch = words(PhoneSwitch.self).named(
    "Switch",
    """
    `timeSensitive` lets time-sensitive notifications through a Focus; `standBy` turns the phone on its side, so that it
    shows StandBy while it is locked and charging; `carPlay` connects it to a car; `mac` puts it near its owner's Mac;
    `allLiveActivities` is the switch of the phone. The last three are switches of single apps.
    """)
  static let activityState = words(LiveActivity.State.self).named(
    "ActivityState",
    """
    The values of `activityState`, and `prompting`: a push has started it, and the Allow question on its card is
    not answered, so there is no update token and only the person can change it.
    """)
  static let bundleID = string.example("com.example.app").named("BundleId", "Bundle id of an app of the fleet.")
  static let deliveryStatus = words(DeliveryStatus.allCases.map(\.words)).named(
    "DeliveryStatus",
    "In the words of Apple's delivery metrics up to Discarded - Disabled (From Storage); the rest are Pushpit's own.")
  static let scene = words(ActivityStartRequest.Scene.self).named(
    "Scene",
    """
    The state of the app at the request: in the foreground (default), in the background, which iOS refuses, or in
    a Live Activity intent.
    """)
  static let seconds = number.with(["exclusiveMinimum": -9_000_000_000, "exclusiveMaximum": 9_000_000_000])
    .named("Seconds", "A date in seconds since 1970, as in payloads.")
  static let authorizationError = words(AuthorizationError.self)
    .named("AuthorizationError", "An `ActivityAuthorizationError`; in an order, the error that iOS must throw.")
  static let outcome = words(Fate.allOutcomes).named("Outcome", "What a phone did with a push.")
  static let share = either([
    number.with(["minimum": 0, "maximum": 1]),
    string.with([
      "pattern": #"^((100(\.0{1,6})?|[0-9]{1,2}(\.[0-9]{1,6})?)%|0(\.[0-9]{1,6})?|1(\.0{1,6})?)$"#
    ]),
  ]).named("Share", #"A fraction, such as "30%" or 0.3; resolution: one millionth."#)
  static let duration = types(["string", "number"])
  static let findingKind = words(AuditFinding.Kind.self).named("FindingKind")

  /// The text of the document about a key besides its type.
  struct Note: ExpressibleByStringLiteral, Sendable {
    fileprivate let meaning: String?
    fileprivate let schema: Schema?
    fileprivate let limits: JSONValue

    /// - Parameter schema: instead of the one that follows from the type.
    init(_ meaning: String? = nil, as schema: Schema? = nil, limits: JSONValue = [:]) {
      self.meaning = meaning
      self.schema = schema
      self.limits = limits
    }

    init(stringLiteral text: String) { self.init(text) }
  }

  /// The members of an object that a reader reads.
  ///
  /// - Parameters:
  ///   - notes: by key; a key of a nested object is written `when.event`.
  ///   - path: of the object, with a dot.
  static func members(of type: ValueType, _ notes: [String: Note] = [:], at path: String = "") -> [Member] {
    type.members.map { name, inner in
      let note = notes[path + name] ?? Note()
      let schema = note.schema ?? Schema(inner, notes, at: "\(path)\(name).")
      return Member(name, schema.with(note.limits), meaning: note.meaning, isNeeded: type.needed.contains(name))
    }
  }

  /// The schema of a type that a reader has, with the names that the document has for some of them.
  init(_ type: ValueType, _ notes: [String: Note] = [:], at path: String = "") {
    self =
      switch type {
      case .text(let most): most.map { Schema.string.with(["maxLength": JSONValue($0)]) } ?? .string
      case .words(let words): Self.lists.first { $0.words == words }?.schema ?? .words(words)
      case .pattern(let pattern): Self.patterns[pattern] ?? .string.with(["pattern": .string(pattern)])
      case .numbers(let numbers): .integer.with(["enum": .array(numbers.map { JSONValue($0) })])
      case .truth: .truth
      case .isTrue: .truth.with(["const": true])
      case .number: .number
      case .whole: Schema.plain(type.schema(plain: false))
      case .duration, .offset: .duration
      case .share: .share
      case .os: .osPattern
      case .object: .object
      case .list(of: .pattern(let pattern)) where Self.patterns[pattern] != nil: .deviceIDs
      case .list(let inner): .list(of: Schema(inner))
      case .either(let types): .either(types.map { Schema($0) })
      case .members: .object(Self.members(of: type, notes, at: path))
      }
  }

  private static let lists: [(words: [String], schema: Schema)] = [
    (TokenKind.allCases.map(\.name), tokenKind), (PushType.allCases.map(\.rawValue), pushType),
    (Environment.allCases.map(\.rawValue), environment), (RejectionReason.allCases.map(\.rawValue), reason),
    (PhoneSwitch.allCases.map(\.rawValue), phoneSwitch), (ActivityStartRequest.Scene.allCases.map(\.rawValue), scene),
    (NotificationPermission.allCases.map(\.rawValue), permission),
    (AuthorizationError.allCases.map(\.rawValue), authorizationError), (Fate.allOutcomes, outcome),
  ]

  private static let patterns: [String: Schema] = {
    guard case .pattern(let device) = ValueType.device, case .pattern(let uuid) = ValueType.uuid else { return [:] }
    return [device: deviceID, uuid: apnsID]
  }()
}
