import APNs
import WireFormats

/// Payloads that are not for a Live Activity.
extension PayloadLint {
  /// The push type that a payload is most probably for; nil if it is unreadable.
  package static func guess(_ payload: [UInt8]) -> PushType? {
    try? JSONNode.read(payload) { root -> PushType in
      let aps = root["aps"]
      let first = aps?["event", "content-state", "timestamp"]
      if first?.first != nil || first?.second != nil || first?.third != nil || aps?["attributes"] != nil {
        return .liveactivity
      }
      if root["mdm"] != nil { return .mdm }
      if root["container-identifier"] != nil { return .fileprovider }
      if aps?["content-changed"] != nil { return .widgets }
      return NotificationPayload(root).isBackground ? .background : .alert
    }
  }

  mutating func judgeNotification(_ payload: [UInt8], os: OSVersion, _ policy: DevicePolicy) {
    let isReadable = try? JSONNode.read(payload) { root in
      guard let kind, kind == .voip || kind.isOfService else {
        judge(NotificationPayload(root, as: kind, readingBooleans: policy.booleanFlags))
        return true
      }
      if root.isObject { judge(root, of: kind, os: os) }
      return root.isObject
    }
    guard isReadable != true else { return }
    lost(.notJSON, JSONFault.sentence(ofNoObject: payload[...]))
  }

  private mutating func judge(_ root: JSONNode, of service: PushType, os: OSVersion) {
    var here = ServiceContext(os: os)
    here.isJoined = true
    guard let reaction = service.serviceReaction(here, root), reaction.isForBody || reaction == .osTooOld else {
      return
    }
    lost("", "\(reaction.rawValue): \(reaction.sentence)")
  }

  private mutating func judge(_ payload: NotificationPayload) {
    switch payload.purpose(as: kind) {
    case .none(let cause): lost(cause)
    case .wake: break
    case .presentation where !payload.hasVisible || payload.isSilentWithoutText: lost(.nothingToShow)
    case .presentation: break
    }
    for remark in payload.remarks.list { changed("", remark.sentence) }
  }

  private mutating func lost(_ cause: WakeCause) { lost("", "\(cause.rawValue): \(cause.sentence)") }
  private mutating func lost(_ cause: PresentationCause) { lost("", "\(cause.rawValue): \(cause.sentence)") }
}

extension NotificationPayload {
  /// An alert without text, and neither sound nor badge.
  var isSilentWithoutText: Bool {
    badge == nil && sound == nil && !(alert?.hasText ?? false)
  }
}
