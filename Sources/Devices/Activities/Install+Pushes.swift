import Timeline
import WireFormats

/// What a Live Activity push meets on the phone: one guard per rule, each its own cause, in the order the phone applies
/// them (device reference, 1.6).
extension Install {
  /// What the phone knows beside the install itself when a start arrives.
  package struct Surroundings {
    package let types: [AttributesType]
    package let os: OSVersion
    package let habits: Habits
    /// Activities running on the whole device.
    package let running: Int

    package init(types: [AttributesType], os: OSVersion, habits: Habits, running: Int) {
      self.types = types
      self.os = os
      self.habits = habits
      self.running = running
    }
  }

  /// A push on the push-to-start token of an attributes type.
  package mutating func receiveStart(
    _ root: JSONNode, _ request: HTTPRequest, type: Int, _ here: Surroundings, at now: Instant
  ) -> Reaction {
    guard let payload = ActivityPayload(root) else { return .dropped(.notJSON) }
    guard let event = payload.event else { return .dropped(.unknownEvent) }
    guard event == .start else { return .dropped(.wrongTokenKind) }
    // Observed: iOS 26.4 logs that a start had no alert configuration, and drops it.
    guard let alert = payload.aps["alert"] else { return .dropped(.noAlertConfiguration) }
    guard alert.isObject else { return .dropped(.alertNotDictionary) }
    let wanted = here.types[type]
    guard let name = payload.aps["attributes-type"]?.string, name == wanted.name else {
      let given = payload.aps["attributes-type"]?.string
      return .dropped(.unknownAttributesType, detail: "the token is of \(wanted.name), the push of \(given ?? "none")")
    }
    if payload.aps["input-push-channel"] != nil {
      guard here.os >= OSVersion(18, 0) else { return .dropped(.osTooOld) }
      guard payload.aps["input-push-token"] == nil else { return .dropped(.contradictoryInput) }
    }
    guard let attributes = payload.aps["attributes"], attributes.isObject else {
      return .dropped(.attributesDecode, detail: "attributes: an object is missing")
    }
    if let failure = wanted.attributes?.failure(attributes, at: "attributes") {
      return .dropped(.attributesDecode, detail: failure)
    }
    if let failure = Self.contentFailure(payload, wanted) { return .dropped(.contentStateDecode, detail: failure) }
    guard let timestamp = payload.timestamp else { return .dropped(.missingTimestamp) }
    let attributesSize = attributes.whole.text.utf8.count
    guard Self.fits(payload, request, beside: attributesSize) else { return .dropped(.combinedSize) }
    let mine = activities.count { !$0.isOver(at: now) }
    guard mine < here.habits.activitiesPerApp else { return .dropped(.targetLimit) }
    guard here.running < here.habits.activitiesPerDevice else { return .dropped(.globalLimit) }
    let number = start(type: type, origin: .push, here.habits, at: now).number
    changeActivity(number) { $0.begin(payload, request, timestamp: timestamp, attributesSize: attributesSize) }
    return .started(number)
  }

  /// A push on the update token of an activity; the phone is online, or it would not be here.
  package mutating func receiveUpdate(
    _ root: JSONNode, _ request: HTTPRequest, activity number: UInt32, _ types: [AttributesType], _ habits: Habits,
    at now: Instant
  ) -> Reaction {
    guard let payload = ActivityPayload(root) else { return .dropped(.notJSON) }
    guard let event = payload.event else { return .dropped(.unknownEvent) }
    guard event != .start else { return .dropped(.wrongTokenKind) }
    guard let index = index(of: number), !activities[index].isOver(at: now) else { return .dropped(.activityNotActive) }
    // An end may leave the content as it is, and then has nothing to decode.
    if event == .update || payload.contentState != nil,
      let failure = Self.contentFailure(payload, types[activities[index].type])
    {
      return .dropped(.contentStateDecode, detail: failure)
    }
    guard let timestamp = payload.timestamp else { return .dropped(.missingTimestamp) }
    guard timestamp > activities[index].lastTimestamp else { return .dropped(.staleTimestamp) }
    guard Self.fits(payload, request, beside: activities[index].attributesSize) else { return .dropped(.combinedSize) }
    if event == .update {
      activities[index].apply(payload, request, timestamp: timestamp)
      return .updated(number)
    }
    activities[index].conclude(payload, request, timestamp: timestamp)
    activities[index].end(dismissing: payload.dismissalDate, habits, isOnline: true, at: now)
    return .ended(number, dismissal: activities[index].dismissal(habits))
  }

  private static func contentFailure(_ payload: ActivityPayload, _ type: AttributesType) -> String? {
    guard let content = payload.contentState else { return "content-state: an object is missing" }
    guard content.isObject else { return "content-state: an object is wanted" }
    return type.contentState?.failure(content, at: "content-state")
  }

  /// Documented: attributes and content state are at most 4,096 bytes together.
  private static func fits(_ payload: ActivityPayload, _ request: HTTPRequest, beside attributes: Int) -> Bool {
    // The content is part of the body, so mostly there is nothing to count.
    if attributes + request.bodyCount <= 4096 { return true }
    return attributes + (payload.contentState?.whole.text.utf8.count ?? 0) <= 4096
  }
}
