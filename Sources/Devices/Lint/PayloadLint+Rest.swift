import WireFormats

extension PayloadLint {
  /// Reports further problems: the phone stops at the first one, but a developer wants to know all.
  mutating func judgeTheRest(
    _ payload: ActivityPayload, _ profile: AppProfile, type: Int, os: OSVersion, _ policy: DevicePolicy,
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
