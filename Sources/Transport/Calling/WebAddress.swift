/// Where a URL leads.
package struct WebAddress: Hashable, Sendable {
  /// A name, or an address without brackets.
  package let host: String
  package let port: Int

  /// Nil for what is neither http nor https.
  package init?(_ url: String) {
    guard let target = try? CallTarget(url), let port = target.authority.split(separator: ":").last.flatMap({ Int($0) })
    else { return nil }
    host = target.host
    self.port = port
  }
}
