import WireFormats

/// The tokens of one app, for scripts: `pushpit tokens d0 --kind device`.
package struct BareTokens: Sendable {
  package let all: [String]

  /// - Parameter page: of `GET /v1/tokens`; only the tokens of its first app count.
  package init(_ page: JSONValue) {
    let tokens = page["tokens"]?.elements ?? []
    all = tokens.filter { $0["app"] == tokens.first?["app"] }.compactMap { $0["token"]?.string }
  }
}
