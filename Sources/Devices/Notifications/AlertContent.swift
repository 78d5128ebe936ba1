import WireFormats

/// `aps.alert`, parsed but not yet localized.
package struct AlertContent: Hashable, Sendable {
  /// Notifications and Live Activities use different formats.
  package enum Kind: Hashable, Sendable {
    /// Documented: a string, which is the body, or a dictionary; `title-loc-key` and the like beside the texts.
    case notification
    /// Documented: a dictionary; each text is a string or a dictionary with `loc-key` and `loc-args`; the sound is
    /// inside.
    case liveActivity
  }

  package let title: LocalizedText?
  package let subtitle: LocalizedText?
  package let body: LocalizedText?
  /// Only for Live Activities; a notification's sound is beside its alert.
  package let sound: NotificationSound?

  package init(
    title: LocalizedText? = nil, subtitle: LocalizedText? = nil, body: LocalizedText? = nil,
    sound: NotificationSound? = nil
  ) {
    self.title = title
    self.subtitle = subtitle
    self.body = body
    self.sound = sound
  }

  /// Nil if there is no alert or the phone cannot read it.
  package init?(_ node: JSONNode?, of kind: Kind, noting remarks: inout PayloadRemarks) {
    guard let node = PayloadRemarks.present(node) else { return nil }
    if kind == .notification, let text = node.string {
      self.init(body: .literal(text))
      return
    }
    guard node.isObject else {
      remarks.append(.alertType)
      return nil
    }
    let texts = node["title", "subtitle", "body"]
    switch kind {
    case .notification:
      self.init(
        title: Self.line(texts.first, key: node["title-loc-key"], arguments: node["title-loc-args"], noting: &remarks),
        subtitle: Self.line(
          texts.second, key: node["subtitle-loc-key"], arguments: node["subtitle-loc-args"], noting: &remarks),
        body: Self.line(texts.third, key: node["loc-key"], arguments: node["loc-args"], noting: &remarks))
    case .liveActivity:
      self.init(
        title: Self.line(texts.first, noting: &remarks), subtitle: Self.line(texts.second, noting: &remarks),
        body: Self.line(texts.third, noting: &remarks), sound: NotificationSound(node["sound"], noting: &remarks))
    }
  }

  /// False if a person would see no text. A key that the app has no text for is shown itself.
  package var hasText: Bool { !rendered(StringTable(), in: "en").isEmpty }

  package func rendered(_ strings: StringTable, in language: String) -> RenderedAlert {
    RenderedAlert(
      title: title?.rendered(strings, in: language) ?? "", subtitle: subtitle?.rendered(strings, in: language) ?? "",
      body: body?.rendered(strings, in: language) ?? "")
  }

  /// Observed: if there is a body, even an empty one, `loc-key` is ignored (apns4ex issue 15). Assumed for every line.
  private static func line(
    _ text: JSONNode?, key: JSONNode?, arguments: JSONNode?, noting remarks: inout PayloadRemarks
  ) -> LocalizedText? {
    if let text = remarks.string(text, or: .alertTextType) {
      if PayloadRemarks.present(key) != nil { remarks.append(.keyOverruled) }
      return .literal(text)
    }
    guard let key = remarks.string(key, or: .keyType) else { return nil }
    return .key(key, arguments: Self.arguments(arguments, noting: &remarks))
  }

  private static func line(_ node: JSONNode?, noting remarks: inout PayloadRemarks) -> LocalizedText? {
    guard let node = PayloadRemarks.present(node) else { return nil }
    if let text = node.string { return .literal(text) }
    guard node.isObject else {
      remarks.append(.alertTextType)
      return nil
    }
    guard let key = node["loc-key"]?.string else {
      remarks.append(.keyType)
      return nil
    }
    return .key(key, arguments: arguments(node["loc-args"], noting: &remarks))
  }

  /// Documented: an array of strings. Observed: null is shown as `<null>` (AppleApnPush issue 33). Assumed: an element
  /// of another type keeps its place and is shown as an empty text.
  private static func arguments(_ node: JSONNode?, noting remarks: inout PayloadRemarks) -> [String] {
    guard let node = PayloadRemarks.present(node) else { return [] }
    guard node.isArray else {
      remarks.append(.argumentsType)
      return []
    }
    return node.elements.map { element in
      guard let text = element.string else {
        remarks.append(.argumentsType)
        return element.isNull ? "<null>" : ""
      }
      return text
    }
  }
}
