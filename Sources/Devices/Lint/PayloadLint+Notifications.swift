import APNs
import WireFormats

/// Payloads that are not for a Live Activity.
extension PayloadLint {
  /// The push type that a payload is most probably for.
  package static func guess(_ payload: [UInt8]) -> PushType {
    let guess = try? JSONNode.read(payload) { root -> PushType in
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
    return guess ?? .alert
  }

  mutating func judgeNotification(_ payload: [UInt8], os: OSVersion, _ policy: DevicePolicy) {
    let isObject = try? JSONNode.read(payload) { root in
      if root.isObject { judge(root, os: os, policy) }
      return root.isObject
    }
    guard isObject != true else { return }
    lost(.notJSON, JSONFault.sentence(ofNoObject: payload[...]))
  }

  private mutating func judge(_ root: JSONNode, os: OSVersion, _ policy: DevicePolicy) {
    var here = ServiceContext(os: os)
    here.isJoined = true
    if kind == .voip { return }
    if let reaction = kind.serviceReaction(here, root) {
      if reaction.isForBody || reaction == .osTooOld { lost("", "\(reaction.rawValue): \(reaction.sentence)") }
      return
    }
    let payload = NotificationPayload(root, as: kind, readingBooleans: policy.booleanFlags)
    if kind == .background {
      if !payload.isContentAvailable { lost(.notRequested) }
    } else if payload.isBackground {
      lost(.typeIsAlert)
    } else if !payload.hasVisible {
      lost(.nothingToShow)
    } else if payload.isSilentWithoutText {
      lost(.noText)
    }
    for remark in payload.remarks.list { changed("", remark.sentence) }
  }

  private mutating func lost(_ cause: WakeCause) { lost("", "\(cause.rawValue): \(cause.sentence)") }
  private mutating func lost(_ cause: PresentationCause) { lost("", "\(cause.rawValue): \(cause.sentence)") }

  /// Reports the mistakes in the alert of a Live Activity that a phone ignores.
  mutating func judgeAlert(_ payload: ActivityPayload) {
    guard let alert = payload.alert, alert.isObject else { return }
    var remarks = PayloadRemarks()
    let hasText = AlertContent(alert, of: .liveActivity, noting: &remarks)?.hasText ?? false
    for remark in remarks.list { changed("aps.alert", remark.sentence) }
    if !hasText { changed("aps.alert", "it has no title and no body to show, so it alerts nobody") }
  }
}

extension NotificationPayload {
  /// An alert without text, and neither sound nor badge. A key that the app has no text for is shown itself.
  fileprivate var isSilentWithoutText: Bool {
    badge == nil && sound == nil && (alert?.rendered(StringTable(), in: "en").isEmpty ?? true)
  }
}
