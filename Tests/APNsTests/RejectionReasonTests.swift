import APNs
import Testing
import WireFormats

@Suite("A reason for rejection")
struct RejectionReasonTests {
  /// Apple's two tables (docs/behavior/requests.md#reasons).
  static let table: [(status: Int, words: String)] = [
    (400, "BadCollapseId"), (400, "BadDeviceToken"), (400, "BadExpirationDate"), (400, "BadMessageId"),
    (400, "BadPriority"), (400, "BadTopic"), (400, "DeviceTokenNotForTopic"), (400, "DuplicateHeaders"),
    (400, "IdleTimeout"), (400, "InvalidPushType"), (400, "MissingDeviceToken"), (400, "MissingTopic"),
    (400, "PayloadEmpty"), (400, "TopicDisallowed"), (403, "BadCertificate"), (403, "BadCertificateEnvironment"),
    (403, "ExpiredProviderToken"), (403, "Forbidden"), (403, "InvalidProviderToken"), (403, "MissingProviderToken"),
    (403, "UnrelatedKeyIdInToken"), (403, "BadEnvironmentKeyInToken"), (404, "BadPath"), (405, "MethodNotAllowed"),
    (410, "ExpiredToken"), (410, "Unregistered"), (413, "PayloadTooLarge"), (429, "TooManyProviderTokenUpdates"),
    (429, "TooManyRequests"), (500, "InternalServerError"), (503, "ServiceUnavailable"), (503, "Shutdown"),
    (400, "BroadcastFeatureNotEnabled"), (400, "MissingChannelId"), (400, "BadChannelId"),
    (400, "ChannelNotRegistered"), (400, "BadRequestParams"), (400, "BadRequestPayload"), (400, "MissingPushType"),
    (400, "CannotCreateChannelConfig"), (400, "MissingChannelQueueSize"), (403, "TopicMismatch"),
  ]

  @Test("S20, S21, S22, S23: a reason for rejection has Apple's name and Apple's status", arguments: table)
  func hasItsStatus(status: Int, words: String) throws {
    #expect(try #require(RejectionReason(rawValue: words)).status == status)
  }

  @Test("a reason for rejection has only the values that Apple documents")
  func noneBeside() {
    #expect(Set(RejectionReason.allCases.map(\.rawValue)) == Set(Self.table.map(\.words)))
  }

  @Test("S24: every reason can be sent, whatever caused it")
  func everyReasonCanBeAnswered() throws {
    let id = try #require(NotificationID("EC1BF194-B3B2-424A-89A9-5A918A6E6B5D"))
    for (status, words) in Self.table {
      let reason = try #require(RejectionReason(rawValue: words))
      let response = PushAnswer(id: id, uniqueID: nil, rejection: Rejection(reason, by: nil)).response
      #expect(response.status == status)
      #expect(String(decoding: response.body, as: UTF8.self) == #"{"reason":"\#(words)"}"#)
    }
  }
}
