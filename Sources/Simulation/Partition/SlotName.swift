import APNs

/// A token's place as an order names it; what is left out is found where the device leaves no choice.
struct SlotName {
  let kind: TokenKind
  let app: String?
  let attributesType: String?
  let activity: String?

  init(_ kind: TokenKind, app: String?, attributesType: String?, activity: String?) {
    self.kind = kind
    self.app = app
    self.attributesType = attributesType
    self.activity = activity
  }
}
