import APNs
import Timeline
import WireFormats

/// Checks a payload for an app offline, by the phone's own rules.
///
/// Uses the same pipeline and decoder as an arriving push: what it reports as lost would be lost.
package struct PayloadLint {
  package struct Finding: Hashable, Sendable {
    package enum Weight: String, CaseIterable, Hashable, Sendable {
      /// iOS drops the push, or APNs rejects it.
      case lost
      /// iOS shows something other than the sender probably means.
      case changed
      /// Cannot be decided, because something it depends on is not known here.
      case unchecked
    }

    package let weight: Weight
    /// The path in the payload.
    package let path: String
    package let sentence: String
  }

  /// The push type that it was checked as; nil without one.
  let kind: PushType?
  package private(set) var findings: [Finding] = []
  /// Maximum number of findings: a payload that APNs accepts has no room for as many.
  private static let mostFindings = 1000

  package var loses: Bool { findings.contains { $0.weight == .lost } }

  /// Checks the payload of a Live Activity.
  ///
  /// - Parameters:
  ///   - type: index of the attributes type of the activity that is updated; a start names its own.
  ///   - now: the time that `timestamp` and the dates are compared with.
  package init(
    _ payload: [UInt8], profile: AppProfile, type: Int, os: OSVersion, policy: DevicePolicy = DevicePolicy(),
    at now: Instant
  ) {
    kind = .liveactivity
    judgeSize(payload)
    let push = ArrivingPush(
      number: 1, request: HTTPRequest("POST", "/", body: payload), priority: .immediate, type: .liveactivity)
    let cause = check(push, profile: profile, type: type, os: os, policy: policy, at: now)
    // An unreadable payload has been reported already.
    push.read { root in
      guard let read = ActivityPayload(root) else { return }
      judgeFurther(read, profile: profile, type: type, os: os, policy: policy, but: cause)
      compare(read, profile, type: type)
    }
  }

  /// Checks the payload of any other push.
  ///
  /// - Parameter kind: nil for a push without `apns-push-type`.
  package init(_ payload: [UInt8], as kind: PushType?, os: OSVersion, _ policy: DevicePolicy = DevicePolicy()) {
    self.kind = kind
    judgeSize(payload)
    judgeNotification(payload, os: os, policy)
  }

  private mutating func judgeSize(_ payload: [UInt8]) {
    guard payload.count > (kind ?? .alert).payloadLimit else { return }
    let limit = kind == .voip ? "5,120" : "4,096"
    lost("", "the payload has \(payload.count) bytes, and APNs answers 413 beyond \(limit)")
  }

  private mutating func check(
    _ push: ArrivingPush, profile: AppProfile, type: Int, os: OSVersion, policy: DevicePolicy, at now: Instant
  ) -> DropCause? {
    let behavior = PhoneBehavior(apps: [profile], policy: policy, mix: .ideal, seed: 0)
    let parsed = push.read { root in
      (
        payload: ActivityPayload(root).map { (event: $0.event, timestamp: $0.timestamp) },
        type: root["aps"]?["attributes-type"]?.string.flatMap { name in profile.types.firstIndex { $0.name == name } }
      )
    }
    let reaction: Reaction
    let event = parsed?.payload?.event
    if event == .update || event == .end {
      // The activity is older than any other, so that only the payload can be wrong.
      let began = min(now, Instant(seconds: Int64(DateUnit.swiftEpoch)))
      var install = Install(profile, policy, worldBegan: began)
      let number = install.start(type: type, origin: .command, policy, at: began).number
      var phone = Phone(DeviceID(0), os: os, installs: [install], behavior)
      var turn = PhoneTurn(behavior, at: began)
      reaction = phone.receiveUpdate(push, app: 0, activity: number, &turn)
    } else {
      var phone = Phone(DeviceID(0), os: os, installs: [Install(profile, policy, worldBegan: now)], behavior)
      var turn = PhoneTurn(behavior, at: now)
      reaction = phone.receiveStart(push, app: 0, type: parsed?.type ?? type, &turn)
    }
    guard case .dropped(let cause, let detail) = reaction else { return nil }
    // The activity's own timestamp is invented.
    let ancient = cause == .staleTimestamp ? parsed?.payload?.timestamp.flatMap(Timestamps.ancient) : nil
    lost(cause, ancient ?? detail?.text)
    return cause
  }

  mutating func lost(_ cause: DropCause, _ detail: String?) {
    lost("aps", "\(cause.rawValue): \(cause.sentence)" + (detail.map { " (\($0))" } ?? ""))
  }

  /// Members that are accepted but probably mistakes.
  private mutating func compare(_ payload: ActivityPayload, _ profile: AppProfile, type: Int) {
    let aps = payload.aps
    if let stamp = payload.timestamp, Timestamps.looksLikeMilliseconds(stamp) {
      changed("aps.timestamp", "it looks like milliseconds; every later update in seconds is then ignored as older")
    }
    if payload.event == .update || payload.event == .end {
      if payload.attributes != nil { changed("aps.attributes", "attributes never change; they are ignored here") }
      if payload.attributesType != nil { changed("aps.attributes-type", "it belongs to a start and is ignored here") }
    }
    remark(on: payload)
    guard profile.types.indices.contains(type) else { return }
    let declared = aps["attributes-type"]?.string.flatMap { name in profile.types.first { $0.name == name } }
    let schemas = declared ?? profile.types[type]
    if let content = aps["content-state"], let schema = schemas.contentState?.schema {
      findDates(content, schema, at: "aps.content-state")
    }
    if payload.event == .start, let attributes = aps["attributes"], let schema = schemas.attributes?.schema {
      findDates(attributes, schema, at: "aps.attributes")
    }
  }

  /// The phone's own remarks on members that it ignores, except on the alert that a start is lost for.
  private mutating func remark(on payload: ActivityPayload) {
    for remark in payload.allRemarks.list { changed(remark.member ?? "aps.alert", remark.sentence) }
    let isLost = payload.event == .start && payload.alert?.isObject == false
    guard payload.hasIgnoredAlert, !isLost else { return }
    for known in Remarks.all where known.remark == .alertIgnored {
      changed(payload.alert == nil ? "alert" : "aps.alert", known.sentence)
    }
  }

  /// Dates counted from the wrong epoch, which are shown 31 years off.
  private mutating func findDates(_ node: JSONNode, _ schema: ContentSchema, at path: String) {
    switch schema {
    case .date:
      if let seconds = node.double, let sentence = complaint(aboutDate: seconds) { changed(path, sentence) }
    case .optional(let wrapped): findDates(node, wrapped, at: path)
    case .object(let properties), .caseEnum(let properties):
      for property in properties {
        if let member = node.first(property.key) {
          findDates(member, property.schema, at: path + "." + property.key.text)
        }
      }
    case .array(let element):
      for (index, child) in Array(node.elements).enumerated() { findDates(child, element, at: "\(path)[\(index)]") }
    case .dateRange:
      for (index, child) in Array(node.elements).enumerated() { findDates(child, .date, at: "\(path)[\(index)]") }
    case .pairs(let key, let element):
      for (index, child) in Array(node.elements).enumerated() {
        findDates(child, index.isMultiple(of: 2) ? key : element, at: "\(path)[\(index)]")
      }
    case .dictionary(let element), .intDictionary(let element):
      for member in node.members { findDates(member.node, element, at: path + "." + member.name) }
    case .string, .int, .fixedInt, .double, .float, .bool, .data, .url, .uuid, .any, .stringEnum, .intEnum: break
    }
  }

  private func complaint(aboutDate seconds: Double) -> String? {
    guard ContentDates.isDistant(seconds) else { return nil }
    let kind = ContentDates.isInMilliseconds(seconds) ? "milliseconds" : "seconds since 1970"
    return "it looks like \(kind); Swift's decoder counts seconds from 2001, and shows a date decades ahead"
  }

  mutating func unchecked(_ path: String, _ type: String) {
    add(.unchecked, at: path, "the settings have no schema of \(type), so it was not decoded")
  }

  mutating func uncheckedCard(_ path: String, _ sentence: String) {
    add(.unchecked, at: path, sentence)
  }

  mutating func lost(_ path: String, _ sentence: String) {
    add(.lost, at: path, sentence)
  }

  mutating func changed(_ path: String, _ sentence: String) {
    add(.changed, at: path, sentence)
  }

  private mutating func add(_ weight: Finding.Weight, at path: String, _ sentence: String) {
    guard findings.count < Self.mostFindings || (weight == .lost && !loses) else { return }
    findings.append(Finding(weight: weight, path: path, sentence: sentence))
  }
}

extension PayloadLint {
  /// Reports further problems: the phone stops at the first one, but a developer wants to know all.
  private mutating func judgeFurther(
    _ payload: ActivityPayload, profile: AppProfile, type: Int, os: OSVersion, policy: DevicePolicy,
    but parsed: DropCause?
  ) {
    guard let event = payload.event else { return }
    let isStart = event == .start
    if isStart, policy.startTokens.availability(on: os) == .never {
      lost("aps.event", "push-to-start needs iOS 17.2; a phone on iOS \(os.text) has no token for a start")
    }
    let name = payload.aps["attributes-type"]?.string
    let declared = name.flatMap { name in profile.types.first { $0.name == name } }
    if isStart {
      find(.alertNotDictionary, nil, but: parsed, where: payload.alert.map { !$0.isObject } ?? false)
      find(.noAlertConfiguration, nil, but: parsed, where: payload.alert == nil && policy.startNeedsAlert.holds(on: os))
      find(.unknownAttributesType, name.map { "the app has no type \($0)" }, but: parsed, where: declared == nil)
    }
    guard profile.types.indices.contains(type) else { return }
    let wanted = declared ?? profile.types[type]
    if isStart {
      let attributes = payload.aps["attributes"]
      let failure =
        attributes.map { given in
          given.isObject ? wanted.attributes?.failure(given, at: "attributes") : "attributes must be an object"
        }
        ?? "attributes is missing; it must be an object"
      find(.attributesDecode, failure, but: parsed, where: failure != nil)
      if attributes != nil, wanted.attributes == nil { unchecked("aps.attributes", wanted.name) }
    }
    if event != .end || payload.contentState != nil {
      let failure = payload.contentFailure(wanted.contentState)
      find(.contentStateDecode, failure, but: parsed, where: failure != nil)
      if payload.contentState != nil, wanted.contentState == nil { unchecked("aps.content-state", wanted.name) }
    }
    find(.missingTimestamp, nil, but: parsed, where: payload.timestamp == nil)
    judgeCard(payload, wanted, isStart: isStart)
  }

  /// Reports rows that do not fit if the card is drawn as keys and values. Without a template, it is not known how the
  /// app draws it.
  private mutating func judgeCard(_ payload: ActivityPayload, _ type: AttributesType, isStart: Bool) {
    guard type.card == nil, let state = payload.contentState?.whole else { return }
    let attributes = isStart ? payload.aps["attributes"]?.whole : nil
    let drawing = CardDrawing(nil, type: type.name, attributes: attributes, state: state)
    guard drawing.cut > 0 else { return }
    uncheckedCard(
      "aps.content-state",
      "the settings have no card of \(type.name): drawn as keys and values, \(drawing.cut) of"
        + " \(drawing.rows.count + drawing.cut) are cut at 160 points")
  }

  private mutating func find(_ cause: DropCause, _ detail: String?, but parsed: DropCause?, where isWrong: Bool) {
    if isWrong, cause != parsed { lost(cause, detail) }
  }
}
