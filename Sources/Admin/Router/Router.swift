import Grammar
import WireFormats

/// The table of routes, and its lookup. Each route stands beside its handler.
enum Router {
  static let routes: [Route] =
    PageRoutes.routes + AboutRoutes.routes + CredentialRoutes.routes + ProviderTokenRoutes.routes
    + DocumentRoutes.routes + DeviceRoutes.routes + AppRoutes.routes + FleetRoutes.routes + DevicePushRoutes.routes
    + ActionRoutes.routes + TokenRoutes.routes + PushRoutes.routes + SendAgain.routes + DeliveryRoutes.routes
    + RateRoutes.routes + ChannelRoutes.routes + CallRoutes.routes + FindingRoutes.routes + EventRoutes.routes
    + VerifyRoutes.routes + FaultRoutes.routes + SessionRoutes.routes + HuntRoutes.routes
    + ScenarioRoutes.routes + ClockRoutes.routes + DiagnosticRoutes.routes + LintRoutes.routes + SettingRoutes.routes
    + RuleRoutes.routes

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
