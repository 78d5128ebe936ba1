import Grammar
import Transport

/// The URL of a gateway, as a person names it.
package enum GatewayURL {
  /// Checks it before anything is sent there: a provider token goes neither to Apple nor over a connection without TLS.
  ///
  /// - Parameter url: the value of `--server`; nil if it was not used.
  package static func check(_ url: String?) throws(InputProblem) {
    guard let url else { return }
    guard url.hasPrefix("https://"), let address = WebAddress(url) else {
      throw InputProblem("--server: \(Wording.quoted(url)) is not a URL such as https://localhost:2197.")
    }
    guard !ApplesNetworks.hasName(address.host) else {
      throw InputProblem("--server: \(address.host) is Apple's. Pushpit never sends there.")
    }
  }
}
