import Grammar

/// Rejects requests from web pages of other origins.
///
/// The API has no password. A web page may let a name of its own resolve to 127.0.0.1 (DNS rebinding), which its Host
/// header reveals, or send requests from another origin, which Origin and Sec-Fetch-Site reveal. CORS headers are never
/// sent, so requests that need a preflight (a JSON content type, DELETE) are blocked by the browser. An IP address as
/// Host cannot be rebound, so any address is accepted. A page of another port of this machine is as foreign as any.
struct HostCheck: Sendable {
  private static let always = ["localhost", "127.0.0.1", "::1"]

  /// Lower case; IPv6 addresses without brackets.
  private let hosts: [String]

  init(allowed: [String]) {
    var hosts = Self.always
    for name in allowed.map({ Self.host(of: $0) ?? $0.lowercased() }) where !hosts.contains(name) {
      // A Host header never contains a wildcard or a network.
      if !name.contains("*"), !name.contains("/") { hosts.append(name) }
    }
    self.hosts = hosts
  }

  func admit(_ request: AdminRequest) throws(AdminProblem) {
    let given = request.values(of: "host")
    guard given.count == 1, let authority = given.first, !authority.isEmpty else {
      throw AdminProblem(400, "A request must have exactly one Host header, such as `host: localhost`.", field: "host")
    }
    guard isOurs(authority) else {
      throw AdminProblem(
        403,
        "Host must be an address or \(Wording.list(names, "or")), not \(Wording.quoted(authority)): otherwise a web"
          + " page could reach this server through a name of its own. --name or PUSHPIT_NAME adds a name.",
        field: "host")
    }
    if let other = RequestTarget.authority(of: request.target), !isOurs(other) {
      throw AdminProblem(
        400, "The request line names \(Wording.quoted(other)), which is not this server; it must begin with a slash.",
        field: "host")
    }
    // A link on a page of the same site may lead here, but only Pushpit's own page gives orders.
    let isOrder = !["GET", "HEAD"].contains(request.method)
    for site in request.values(of: "sec-fetch-site").map({ $0.lowercased() }) {
      guard site == "cross-site" || isOrder && site != "same-origin" && site != "none" else { continue }
      throw AdminProblem(
        403, "Requests from pages of other servers are not allowed: the browser says \(Wording.quoted(site)).",
        field: "sec-fetch-site")
    }
    for origin in request.values(of: "origin") where !isOurs(origin: origin, at: authority) {
      throw AdminProblem(
        403,
        "The origin \(Wording.quoted(origin)) is not allowed; only Pushpit's own page is, as http://\(authority).",
        field: "origin")
    }
  }

  /// Requests with effects must be JSON, which a web page cannot send without a preflight. A body needs the content
  /// type; without a body only a wrong content type is rejected.
  static func admitOrder(_ request: AdminRequest) throws(AdminProblem) {
    let given = request.values(of: "content-type")
    if given.isEmpty, request.body.isEmpty { return }
    guard let type = given.first, given.count == 1, isJSON(type) else {
      let found = given.isEmpty ? "none" : given.map(Wording.quoted).joined(separator: " and ")
      throw AdminProblem(
        415, "The body must be JSON with `content-type: application/json` (curl: --json), not \(found).",
        field: "content-type")
    }
  }

  private static func isJSON(_ contentType: String) -> Bool {
    let type = contentType.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
    return type == "application/json" || type.hasPrefix("application/") && type.hasSuffix("+json")
  }

  private var names: [String] { hosts.map { $0.contains(":") ? "[\($0)]" : $0 } }

  private func isOurs(_ authority: String) -> Bool {
    guard let host = Self.host(of: authority) else { return false }
    return hosts.contains(host) || Self.isAddress(host)
  }

  /// Returns true if an origin, `scheme://host[:port]` (RFC 6454 section 7) or `null`, is the requested one.
  private func isOurs(origin: String, at authority: String) -> Bool {
    let scheme = "http://"
    guard origin.lowercased().hasPrefix(scheme) else { return false }
    let page = Self.parts(of: String(origin.dropFirst(scheme.count)))
    return page != nil && page == Self.parts(of: authority)
  }

  /// True if a host is an IP address. A host with a colon was in brackets, so it is an IPv6 address.
  private static func isAddress(_ host: String) -> Bool {
    if host.utf8.contains(UInt8(ascii: ":")) { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        (1...3).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
          && (UInt16(part) ?? .max) <= 255
      }
  }

  private static func host(of authority: String) -> String? { parts(of: authority)?.host }

  private struct Parts: Hashable {
    /// In lower case.
    let host: String
    /// 80 if none is given.
    let port: Int
  }

  /// The parts of `host[:port]`; nil if it does not have that form.
  private static func parts(of authority: String) -> Parts? {
    let text = authority.lowercased()
    let host: Substring
    let rest: Substring
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<end]
      rest = text[text.index(after: end)...]
    } else {
      let end = text.firstIndex(of: ":") ?? text.endIndex
      host = text[..<end]
      rest = text[end...]
    }
    let digits = rest.dropFirst()
    guard !host.isEmpty, rest.isEmpty || rest.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = digits.isEmpty ? 80 : Int(digits)
    else { return nil }
    return Parts(host: String(host), port: port)
  }
}
