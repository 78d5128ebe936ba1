import Grammar
import WireFormats

/// The table of routes, and its lookup.
enum Router {
  static let routes: [Route] = [
    Route("GET", "/", summary: "the page to look at in a browser, or this list", answer: PageRoutes.front),
    Route("GET", "/page/{file}", summary: "a file of the page", answer: PageRoutes.file),
    Route("GET", "/health", summary: "whether the server is up", answer: AboutRoutes.health),
    Route("GET", "/version", summary: "the version of Pushpit", answer: AboutRoutes.version),
    Route(
      "GET", "/v1/ready", summary: "its listeners, certificate authority and keys: the ready line",
      answer: AboutRoutes.server),
    Route(
      "GET", "/v1/ca.pem", summary: "the certificate authority that clients must trust", answer: AboutRoutes.authority),
    Route(
      "GET", "/v1/keys", summary: "its provider keys; private ones only if Pushpit made them",
      answer: CredentialRoutes.keys),
    Route("POST", "/v1/keys", summary: "register or make a provider key", answer: CredentialRoutes.addKey),
    Route(
      "POST", "/v1/keys/reload", summary: "apply what `pushpit keys` has changed in the state folder",
      answer: CredentialRoutes.reloadKeys),
    Route("DELETE", "/v1/keys/{keyId}", summary: "revoke a provider key", answer: CredentialRoutes.revokeKey),
    Route("GET", "/v1/certificates", summary: "the provider certificates", answer: CredentialRoutes.certificates),
    Route(
      "POST", "/v1/certificates", summary: "register or make a provider certificate",
      answer: CredentialRoutes.addCertificate),
    Route(
      "DELETE", "/v1/certificates/{fingerprint}", summary: "revoke a provider certificate",
      answer: CredentialRoutes.revokeCertificate),
    Route(
      "POST", "/v1/provider-tokens/check", summary: "how APNs would answer a provider token; nothing is recorded",
      answer: ProviderTokenRoutes.check),
    Route("GET", "/metrics", summary: "counts for Prometheus", answer: AboutRoutes.metrics),
    Route("GET", "/openapi.yaml", summary: "the description of this API", answer: AboutRoutes.document),
    Route(
      "GET", "/v1/devices", summary: "the fleet's devices", takes: ["app", "os", "online", "limit", "cursor"],
      answer: DeviceRoutes.list),
    Route(
      "GET", "/v1/apps", summary: "the fleet's apps, and the schemas of their Live Activities", answer: AppRoutes.list),
    Route(
      "GET", "/v1/fleet/summary", summary: "counts of the fleet by iOS, app and state, and a map of it",
      answer: FleetRoutes.summary),
    Route(
      "GET", "/v1/devices/{id}", summary: "one device with its apps, tokens and activities", answer: DeviceRoutes.one),
    Route("GET", "/v1/devices/{id}/screen", summary: "what a person would see on it", answer: DeviceRoutes.screen),
    Route(
      "GET", "/v1/devices/{id}/log", summary: "its log, newest first", takes: ["process", "limit", "cursor"],
      answer: DeviceRoutes.log),
    Route("POST", "/v1/devices/{id}/actions", summary: "perform an action on a device", answer: DeviceRoutes.act),
    Route(
      "POST", "/v1/devices/{id}/pushes", summary: "send a push to a device, signed with a key of the server",
      answer: DevicePushRoutes.send),
    Route("POST", "/v1/actions", summary: "perform an action on many devices", answer: DeviceRoutes.actOnMany),
    Route(
      "GET", "/v1/tokens", summary: "the tokens of devices, in pages or as lines",
      takes: ["device", "kind", "app", "environment", "live", "cell", "limit", "cursor"], answer: TokenRoutes.list),
    Route("POST", "/v1/tokens", summary: "register a token you already have", answer: TokenRoutes.register),
    Route(
      "GET", "/v1/pushes", summary: "the ledger: pushes, newest first",
      takes: PushRoutes.filters + ["limit", "cursor"], answer: PushRoutes.list),
    Route(
      "GET", "/v1/pushes/{apnsId}", summary: "the newest push with that id, and the reason for its answer",
      answer: PushRoutes.one),
    Route(
      "POST", "/v1/pushes/{apnsId}/again", summary: "send it once more, as its provider wrote it",
      answer: SendAgain.post),
    Route(
      "GET", "/v1/deliveries",
      summary: "how many pushes reached each delivery status, as Apple's push console counts them",
      takes: ["by"] + DeliveryRoutes.filters + ["last", "format"], answer: DeliveryRoutes.metrics),
    Route("GET", "/v1/deliveries/{apnsId}", summary: "the delivery log of one push", answer: DeliveryRoutes.log),
    Route(
      "GET", "/v1/rates", summary: "pushes per second of the last two minutes, by answer", answer: RateRoutes.recent),
    Route(
      "GET", "/v1/channels", summary: "channels and their subscribers", takes: ["limit", "cursor"],
      answer: ChannelRoutes.list),
    Route(
      "GET", "/v1/broadcasts", summary: "broadcasts and requests about channels, newest first",
      takes: ["limit", "cursor"],
      answer: ChannelRoutes.requests),
    Route(
      "GET", "/v1/calls", summary: "calls of apps to their backends, newest first",
      takes: CallRoutes.filters + ["limit", "cursor"], answer: CallRoutes.list),
    Route(
      "GET", "/v1/findings", summary: "mistakes of the backend, newest first",
      takes: ["kind", "session", "limit", "cursor"], answer: FindingRoutes.list),
    Route(
      "GET", "/v1/events", summary: "what happens, as a stream of server-sent events", takes: EventRoutes.parameters,
      answer: EventRoutes.stream),
    Route(
      "POST", "/v1/verify", summary: "evaluate expectations over the ledger, and wait for them",
      answer: VerifyRoutes.verify),
    Route(
      "GET", "/v1/faults", summary: "the faults that are set", takes: ["session", "limit", "cursor"],
      answer: FaultRoutes.list),
    Route("POST", "/v1/faults", summary: "set a fault", answer: FaultRoutes.set),
    Route("GET", "/v1/faults/{name}", summary: "one fault", takes: ["session"], answer: FaultRoutes.one),
    Route("DELETE", "/v1/faults/{name}", summary: "delete a fault", takes: ["session"], answer: FaultRoutes.remove),
    Route(
      "POST", "/v1/reset", summary: "delete all faults, or those of one session, or begin with new phones",
      answer: FaultRoutes.reset),
    Route(
      "GET", "/v1/sessions", summary: "sessions, one per test", takes: ["open", "limit", "cursor"],
      answer: SessionRoutes.list),
    Route("POST", "/v1/sessions", summary: "open a session", answer: SessionRoutes.open),
    Route("GET", "/v1/sessions/{name}", summary: "one session, and what it has seen", answer: SessionRoutes.one),
    Route("DELETE", "/v1/sessions/{name}", summary: "delete a session", answer: SessionRoutes.delete),
    Route(
      "PUT", "/v1/sessions/{name}/expectations", summary: "replace the expectations of a session",
      answer: SessionRoutes.expect),
    Route(
      "POST", "/v1/sessions/{name}/close", summary: "close a session; it does not change after that",
      answer: SessionRoutes.close),
    Route(
      "POST", "/v1/scenarios", summary: "begin with new phones, and get ready to play a scenario",
      answer: ScenarioRoutes.open),
    Route(
      "GET", "/v1/scenarios/{id}", summary: "a scenario that is being played, and its report so far",
      answer: ScenarioRoutes.one),
    Route("POST", "/v1/scenarios/{id}/move", summary: "play a scenario up to a time", answer: ScenarioRoutes.move),
    Route("DELETE", "/v1/scenarios/{id}", summary: "end a scenario", answer: ScenarioRoutes.end),
    Route("GET", "/v1/clock", summary: "the world's clock", answer: ClockRoutes.show),
    Route("POST", "/v1/clock", summary: "move, stop or start the clock", answer: ClockRoutes.change),
    Route(
      "GET", "/v1/connections", summary: "providers connected now", takes: ["limit", "cursor"],
      answer: DiagnosticRoutes.connections),
    Route(
      "GET", "/v1/troubles", summary: "problems of clients, newest first", takes: ["limit", "cursor"],
      answer: DiagnosticRoutes.troubles),
    Route("POST", "/v1/lint", summary: "what iOS would silently drop or change in a payload", answer: LintRoutes.check),
    Route(
      "GET", "/v1/settings", summary: "the settings with their values, defaults and meanings", takes: ["prefix"],
      answer: AboutRoutes.settings),
    Route(
      "GET", "/v1/rules", summary: "the rules of APNs, in the order in which they are checked",
      answer: DiagnosticRoutes.rules),
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
