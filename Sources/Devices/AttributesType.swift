import WireFormats

/// A Swift type that conforms to `ActivityAttributes`, as far as an app profile declares it.
package struct AttributesType: Hashable, Sendable {
  /// The Swift type's name.
  package let name: String
  /// What `attributes` must decode into; nil where the profile does not say, and anything does.
  package let attributes: ContentDecoder?
  package let contentState: ContentDecoder?
  /// What the widget finds when it draws.
  package var images = Images.ready

  /// Documented: the widget has no network, so images are in the App Group beforehand; one larger than the
  /// presentation can keep the activity from starting.
  package enum Images: String, CaseIterable, Hashable, Sendable {
    case ready
    case missing
    case tooLarge
  }

  package init(_ name: String, attributes: ContentSchema? = nil, contentState: ContentSchema? = nil) {
    self.name = name
    self.attributes = attributes.map { ContentDecoder($0) }
    self.contentState = contentState.map { ContentDecoder($0) }
  }
}
