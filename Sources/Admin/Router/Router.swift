import Grammar
import WireFormats

/// The table of routes, and its lookup.
enum Router {
  static let routes: [Route] = [
    Route("GET", "/", "the page to look at in a browser, or this list", PageRoutes.front),
    Route("GET", "/page/{file}", "a file of the page", PageRoutes.file),
    Route("GET", "/health", "whether the server is up", AboutRoutes.health),
    Route("GET", "/version", "the version of Pushpit", AboutRoutes.version),
    Route("GET", "/v1/ready", "its listeners, certificate authority and keys: the ready line", AboutRoutes.server),
    Route("GET", "/v1/ca.pem", "the certificate authority that clients must trust", AboutRoutes.authority),
    Route("GET", "/v1/keys", "its provider keys; private ones only if Pushpit made them", CredentialRoutes.keys),
    Route("POST", "/v1/keys", "register or make a provider key", CredentialRoutes.addKey),
    Route(
      "POST", "/v1/keys/reload", "apply what `pushpit keys` has changed in the state folder",
      CredentialRoutes.reloadKeys),
    Route("DELETE", "/v1/keys/{keyId}", "revoke a provider key", CredentialRoutes.revokeKey),
    Route("GET", "/v1/certificates", "the provider certificates", CredentialRoutes.certificates),
    Route("POST", "/v1/certificates", "register or make a provider certificate", CredentialRoutes.addCertificate),
    Route(
      "DELETE", "/v1/certificates/{fingerprint}", "revoke a provider certificate", CredentialRoutes.revokeCertificate),
    Route(
      "POST", "/v1/provider-tokens/check", "how APNs would answer a provider token; nothing is recorded",
      ProviderTokenRoutes.check),
    Route("GET", "/metrics", "counts for Prometheus", AboutRoutes.metrics),
    Route("GET", "/openapi.yaml", "the description of this API", AboutRoutes.document),
    Route(
      "GET", "/v1/devices", "the fleet's devices", takes: ["app", "os", "online", "limit", "cursor"],
      DeviceRoutes.list),
    Route("GET", "/v1/apps", "the fleet's apps, and the schemas of their Live Activities", AppRoutes.list),
    Route(
      "GET", "/v1/fleet/summary", "counts of the fleet by iOS, app and state, and a map of it", FleetRoutes.summary),
    Route("GET", "/v1/devices/{id}", "one device with its apps, tokens and activities", DeviceRoutes.one),
    Route("GET", "/v1/devices/{id}/screen", "what a person would see on it", DeviceRoutes.screen),
    Route(
      "GET", "/v1/devices/{id}/log", "its log, newest first", takes: ["process", "limit", "cursor"], DeviceRoutes.log),
    Route("POST", "/v1/devices/{id}/actions", "perform an action on a device", DeviceRoutes.act),
    Route(
      "POST", "/v1/devices/{id}/pushes", "send a push to a device, signed with a key of the server",
      DevicePushRoutes.send),
    Route("POST", "/v1/actions", "perform an action on many devices", DeviceRoutes.actOnMany),
    Route(
      "GET", "/v1/tokens", "the tokens of devices, in pages or as lines",
      takes: ["device", "kind", "app", "environment", "live", "cell", "limit", "cursor"], TokenRoutes.list),
    Route("POST", "/v1/tokens", "register a token you already have", TokenRoutes.register),
    Route(
      "GET", "/v1/pushes", "the ledger: pushes, newest first",
      takes: PushRoutes.filters + ["limit", "cursor"], PushRoutes.list),
    Route("GET", "/v1/pushes/{apnsId}", "the newest push with that id, and the reason for its answer", PushRoutes.one),
    Route("POST", "/v1/pushes/{apnsId}/again", "send it once more, as its provider wrote it", SendAgain.post),
    Route(
      "GET", "/v1/deliveries", "how many pushes reached each delivery status, as Apple's push console counts them",
      takes: ["by"] + DeliveryRoutes.filters + ["last", "format"], DeliveryRoutes.metrics),
    Route("GET", "/v1/deliveries/{apnsId}", "the delivery log of one push", DeliveryRoutes.log),
    Route("GET", "/v1/rates", "pushes per second of the last two minutes, by answer", RateRoutes.recent),
    Route(
      "GET", "/v1/channels", "channels and their subscribers", takes: ["limit", "cursor"], ChannelRoutes.list),
    Route(
      "GET", "/v1/broadcasts", "broadcasts and requests about channels, newest first", takes: ["limit", "cursor"],
      ChannelRoutes.requests),
    Route(
      "GET", "/v1/calls", "calls of apps to their backends, newest first",
      takes: CallRoutes.filters + ["limit", "cursor"], CallRoutes.list),
    Route(
      "GET", "/v1/findings", "mistakes of the backend, newest first",
      takes: ["kind", "session", "limit", "cursor"], FindingRoutes.list),
    Route(
      "GET", "/v1/events", "what happens, as a stream of server-sent events", takes: EventRoutes.parameters,
      EventRoutes.stream),
    Route("POST", "/v1/verify", "evaluate expectations over the ledger, and wait for them", VerifyRoutes.verify),
    Route("GET", "/v1/faults", "the faults that are set", takes: ["session", "limit", "cursor"], FaultRoutes.list),
    Route("POST", "/v1/faults", "set a fault", FaultRoutes.set),
    Route("GET", "/v1/faults/{name}", "one fault", takes: ["session"], FaultRoutes.one),
    Route("DELETE", "/v1/faults/{name}", "delete a fault", takes: ["session"], FaultRoutes.remove),
    Route(
      "POST", "/v1/reset", "delete all faults, or those of one session, or begin with new phones", FaultRoutes.reset),
    Route("GET", "/v1/sessions", "sessions, one per test", takes: ["open", "limit", "cursor"], SessionRoutes.list),
    Route("POST", "/v1/sessions", "open a session", SessionRoutes.open),
    Route("GET", "/v1/sessions/{name}", "one session, and what it has seen", SessionRoutes.one),
    Route("DELETE", "/v1/sessions/{name}", "delete a session", SessionRoutes.delete),
    Route("PUT", "/v1/sessions/{name}/expectations", "replace the expectations of a session", SessionRoutes.expect),
    Route("POST", "/v1/sessions/{name}/close", "close a session; it does not change after that", SessionRoutes.close),
    Route("POST", "/v1/scenarios", "begin with new phones, and get ready to play a scenario", ScenarioRoutes.open),
    Route("GET", "/v1/scenarios/{id}", "a scenario that is being played, and its report so far", ScenarioRoutes.one),
    Route("POST", "/v1/scenarios/{id}/move", "play a scenario up to a time", ScenarioRoutes.move),
    Route("DELETE", "/v1/scenarios/{id}", "end a scenario", ScenarioRoutes.end),
    Route("GET", "/v1/clock", "the world's clock", ClockRoutes.show),
    Route("POST", "/v1/clock", "move, stop or start the clock", ClockRoutes.change),
    Route(
      "GET", "/v1/connections", "providers connected now", takes: ["limit", "cursor"], DiagnosticRoutes.connections),
    Route(
      "GET", "/v1/troubles", "problems of clients, newest first", takes: ["limit", "cursor"],
      DiagnosticRoutes.troubles),
    Route("POST", "/v1/lint", "what iOS would silently drop or change in a payload", LintRoutes.check),
    Route(
      "GET", "/v1/settings", "the settings with their values, defaults and meanings", takes: ["prefix"],
      AboutRoutes.settings),
    Route("GET", "/v1/rules", "the rules of APNs, in the order in which they are checked", DiagnosticRoutes.rules),
  ]

  /// Finds the route of a request, with the values of its placeholders. HEAD is answered like GET.
  static func find(_ method: String, _ target: RequestTarget) throws(AdminProblem) -> (Route, [String]) {
    let here = routes.compactMap { route in route.captures(of: target.segments).map { (route, $0) } }
    guard !here.isEmpty else { throw unknown(target) }
    let wanted = method == "HEAD" ? "GET" : method
    if let found = here.first(where: { $0.0.method == wanted }) { return found }
    let methods = here.map(\.0.method)
    throw AdminProblem(
      405, "\(target.path) supports \(Wording.list(methods, "and")), not \(Wording.quoted(method)).",
      allow: methods.flatMap { $0 == "GET" ? ["GET", "HEAD"] : [$0] })
  }

  private static func unknown(_ target: RequestTarget) -> AdminProblem {
    var paths: [String] = []
    for route in routes where !paths.contains(route.path) { paths.append(route.path) }
    let hint = SpellingSuggestion.nearest(to: target.path, among: paths).map { "did you mean \($0)?" }
    // The paths below these would make the sentence as long as a page.
    let known = Wording.list(paths.filter { !$0.contains("{") })
    return AdminProblem(404, "There is no path \(Wording.quoted(target.path)); \(hint ?? "the paths are \(known).")")
  }
}
