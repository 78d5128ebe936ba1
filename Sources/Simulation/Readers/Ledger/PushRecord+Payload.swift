import APNs
import Devices
import WireFormats

/// The payload of a push, read again for whoever asks about the push.
extension PushRecord {
  /// A notification or a background push.
  private var isNotification: Bool {
    guard address?.slot == .app else { return false }
    switch push.type {
    case .alert, .background, nil: return true
    default: return false
    }
  }

  /// Members of the payload that the phone ignored.
  ///
  /// - Parameter readingBooleans: as the policy of the phones requires (`DevicePolicy.booleanFlags`).
  package func payloadRemarks(readingBooleans: Bool = true) -> [PayloadRemark] {
    if address?.slot.isLiveActivity ?? false { return read { PayloadRemarks(ofActivity: $0).list } ?? [] }
    return notification(readingBooleans: readingBooleans)?.remarks.list ?? []
  }

  /// Nil for any other push, and for a payload that is unreadable.
  func notification(readingBooleans: Bool = true) -> NotificationPayload? {
    guard isNotification else { return nil }
    return read { NotificationPayload($0, as: push.type, readingBooleans: readingBooleans) }
  }

  /// Nil unless the event is `start`, `update` or `end`.
  var activityEvent: ActivityEvent? {
    read { $0["aps"]?["event"]?.string.flatMap(ActivityEvent.init(rawValue:)) } ?? nil
  }

  private static let end = Array("\"end\"".utf8)

  /// True if the event is `end`.
  ///
  /// Searches for the word, or for a backslash that may hide it, before reading the JSON, which costs several times as
  /// much: most pushes are updates.
  var endsActivity: Bool {
    let request = request
    let body = request.bodyStart..<request.storage.count
    guard
      ByteRanges.place(of: Self.end, by: 3, in: request.storage, body) != nil
        || ByteRanges.place(of: UInt8(ascii: "\\"), in: request.storage, body) != nil
    else { return false }
    return activityEvent == .end
  }

  /// False for a body that Apple prescribes, such as `{"aps":{"content-changed":true}}`: two equal bodies are two
  /// changes.
  package var hasOwnContent: Bool {
    let fixed: Set = ["content-changed", "content-available"]
    return read { root in
      guard root.count == 1, let aps = root["aps"]?.whole.members else { return true }
      return !aps.allSatisfy { fixed.contains($0.key) }
    } ?? true
  }

  var hasEvent: Bool { read { $0["aps"]?["event"] != nil } ?? false }

  private func read<Result>(_ body: (JSONNode) -> Result) -> Result? {
    let request = request
    return try? JSONNode.read(request.storage.span, in: request.bodyStart..<request.storage.count, body)
  }
}
