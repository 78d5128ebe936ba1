import WireFormats

extension ContentSchema {
  /// For a single look; whoever looks often keeps a `ContentDecoder`.
  package func failure(_ node: JSONNode, at root: String) -> String? { ContentDecoder(self).failure(node, at: root) }
}
