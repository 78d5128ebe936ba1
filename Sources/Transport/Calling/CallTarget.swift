import CCurl

/// The target of a URL, read by the same parser that will connect: two parsers that disagree would be a security hole.
struct CallTarget: Hashable {
  let isSecure: Bool
  /// Lower case, no brackets; IPv4 addresses in dotted form, however they were written.
  let host: String
  /// Host and port as sentences name them.
  let authority: String

  init(_ text: String) throws(AppCall.Failure) {
    func malformed(_ what: String) -> AppCall.Failure {
      AppCall.Failure(.malformed, "\"\(text)\" \(what); nothing was sent")
    }
    guard !text.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) else {
      throw malformed("contains a space, a control character or a non-ASCII letter, which must be written as %XX")
    }
    guard let url = curl_url() else { throw AppCall.Failure(.other, "libcurl has no memory for \(text)") }
    defer { curl_url_cleanup(url) }
    guard curl_url_set(url, CURLUPART_URL, text, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK,
      let scheme = Self.part(CURLUPART_SCHEME, of: url)?.lowercased()
    else { throw malformed("is not a URL such as http://127.0.0.1:8080/path") }
    guard scheme == "http" || scheme == "https" else { throw malformed("must begin with http or https") }
    guard let host = Self.part(CURLUPART_HOST, of: url), !host.isEmpty,
      let port = Self.part(CURLUPART_PORT, of: url)
    else { throw malformed("has no host") }
    isSecure = scheme == "https"
    self.host = OutboundAllowList.plain(host)
    authority = self.host.contains(":") ? "[\(self.host)]:\(port)" : "\(self.host):\(port)"
  }

  private static func part(_ part: CURLUPart, of url: OpaquePointer) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(url, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }
}

/// The target of a URL.
package struct WebAddress: Hashable, Sendable {
  /// A name, or an address without brackets.
  package let host: String
  package let port: Int

  /// Nil unless the URL is http or https.
  package init?(_ url: String) {
    guard let target = try? CallTarget(url), let port = target.authority.split(separator: ":").last.flatMap({ Int($0) })
    else { return nil }
    host = target.host
    self.port = port
  }
}
