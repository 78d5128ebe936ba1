import APNs

extension DropCause {
  /// How we know that a phone drops for it.
  package var evidence: Evidence {
    let article = "Apple, Starting and updating Live Activities with ActivityKit push notifications"
    return switch self {
    case .notJSON, .unknownEvent, .missingTimestamp, .contradictoryInput:
      .assumed("the payload cannot be carried out; no log of a phone was found")
    case .wrongTokenKind: .observed("seed 003: nothing happens; one source claims DeviceTokenNotForTopic")
    case .osTooOld: .documented(article)
    case .noAlertConfiguration: .observed("device logs of iOS 26.4: the start had no alert configuration")
    case .alertNotDictionary: .observed("seed 003")
    case .unknownAttributesType: .documented(article + "; the silence is seed 000's")
    case .attributesDecode, .contentStateDecode: .observed("on-device study on iOS 26.5: the whole push is discarded")
    case .staleTimestamp: .documented(article + "; that an equal one is ignored is seed 002's")
    case .combinedSize: .documented(article + "; the drop is assumed")
    case .targetLimit: .observed("five per app: PushWard and OneSignal documentation")
    case .globalLimit: .assumed("the limit exists, its size is not published")
    case .activityNotActive: .documented(article)
    }
  }
}
