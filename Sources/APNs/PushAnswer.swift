import Timeline
import WireFormats

/// The answer to a push, before it is serialized.
///
/// Documented: 200 has no body; an error has `{"reason":"…"}`, a 410 also a `timestamp` in milliseconds; all carry
/// `apns-id`; the development environment adds `apns-unique-id` ("Handling notification responses from APNs"). Assumed:
/// the unique id comes with accepted pushes only; no capture of it on an error was found.
package struct PushAnswer: Hashable, Sendable {
  /// The request that an id is drawn for: its connection and stream.
  package struct DrawnIDs: Hashable, Sendable {
    let draw: Chance
    let connection: UInt64
    let stream: Int32

    package init(_ draw: Chance, connection: UInt64, stream: Int32) {
      self.draw = draw
      self.connection = connection
      self.stream = stream
    }

    package var id: NotificationID { ids.id }
    package var uniqueID: NotificationID { ids.uniqueID }

    /// The `apns-id` and the `apns-unique-id` of a single draw: the bits of the second are made from those of the
    /// first, and look equally random.
    fileprivate var ids: (id: NotificationID, uniqueID: NotificationID) {
      let bits = draw.wideBits(connection, UInt64(bitPattern: Int64(stream)))
      let turned = (
        bits.1 &* 0x9E37_79B9_7F4A_7C15 ^ bits.0 >> 29, bits.0 &* 0xBF58_476D_1CE4_E5B9 ^ bits.1 >> 31
      )
      return (NotificationID(bits: bits), NotificationID(bits: turned))
    }
  }

  /// Ids are drawn when somebody reads them: outside the lock on the wire, and hardly ever in a simulation.
  private enum IDs: Sendable {
    case known(NotificationID, unique: NotificationID?)
    case drawn(DrawnIDs, given: NotificationID?, hasUniqueID: Bool)
  }

  private let ids: IDs
  package let rejection: Rejection?

  package init(id: NotificationID, uniqueID: NotificationID?, rejection: Rejection?) {
    ids = .known(id, unique: rejection == nil ? uniqueID : nil)
    self.rejection = rejection
  }

  /// - Parameters:
  ///   - given: the client's own id, which the answer repeats.
  ///   - environment: the development environment adds `apns-unique-id` to accepted pushes.
  package init(_ drawn: DrawnIDs, given: NotificationID?, in environment: Environment, rejection: Rejection?) {
    ids = .drawn(drawn, given: given, hasUniqueID: environment == .sandbox && rejection == nil)
    self.rejection = rejection
  }

  package var id: NotificationID {
    switch ids {
    case .known(let id, _): id
    case .drawn(let drawn, let given, _): given ?? drawn.ids.id
    }
  }

  package var uniqueID: NotificationID? {
    switch ids {
    case .known(_, let unique): unique
    case .drawn(let drawn, _, let hasUniqueID): hasUniqueID ? drawn.ids.uniqueID : nil
    }
  }

  private var both: (id: NotificationID, uniqueID: NotificationID?) {
    switch ids {
    case .known(let id, let unique): return (id, unique)
    case .drawn(let drawn, let given, let hasUniqueID):
      let ids = drawn.ids
      return (given ?? ids.id, hasUniqueID ? ids.uniqueID : nil)
    }
  }

  /// Two answers are equal if they read the same.
  package static func == (left: PushAnswer, right: PushAnswer) -> Bool {
    left.rejection == right.rejection && left.both == right.both
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(rejection)
  }

  package var status: Int { rejection?.reason.status ?? 200 }

  package var response: HTTPResponse {
    let (id, uniqueID) = both
    let form = rejection == nil ? (uniqueID == nil ? Self.accepted : Self.acceptedInSandbox) : Self.refused
    return HTTPResponse(
      status: status, fields: form,
      stamps: .init((id.characters, Self.idOffset), uniqueID.map { ($0.characters, Self.uniqueIDOffset) }), body: body)
  }

  // The fields of an answer with placeholders for its ids, shared by all answers.
  private static let room = String(repeating: "-", count: 36)
  private static let accepted = HTTPFields([("apns-id", room)])
  private static let acceptedInSandbox = HTTPFields([("apns-id", room), ("apns-unique-id", room)])
  private static let refused = HTTPFields([("apns-id", room), ("content-type", "application/json")])
  private static let idOffset = HTTPFields.prefix + "apns-id".utf8.count
  private static let uniqueIDOffset = idOffset + 36 + HTTPFields.prefix + "apns-unique-id".utf8.count

  private var body: [UInt8] {
    guard let rejection else { return [] }
    guard let since = rejection.since else { return Array(#"{"reason":"\#(rejection.reason.rawValue)"}"#.utf8) }
    return Array(#"{"reason":"\#(rejection.reason.rawValue)","timestamp":\#(since.milliseconds)}"#.utf8)
  }
}

/// The rejection of a push, with the violated rule.
package struct Rejection: Error, Hashable, Sendable {
  package let reason: RejectionReason
  /// The broken rule; nil if a test's fault ordered the rejection.
  package let rule: Rule?
  /// The time at which the token became invalid. Documented: only a 410 contains it, in milliseconds.
  package let since: Instant?

  package init(_ reason: RejectionReason, by rule: Rule?, since: Instant? = nil) {
    self.reason = reason
    self.rule = rule
    self.since = since
  }
}
