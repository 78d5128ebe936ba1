import APNs
import Devices
import Reporting

/// Selects calls of apps for a list.
package struct CallFilter: Sendable {
  private let matcher: Matcher

  package init(_ filter: Filter, _ plan: FleetPlan) { matcher = Matcher(filter, apps: plan.apps.map(\.bundleID)) }

  package func matches(_ end: CallEnd) -> Bool {
    var call = CallSubject(end)
    return matcher.matches(&call)
  }
}

/// Selects rows of the delivery metrics.
package struct DeliveryFilter: Sendable {
  private let matcher: Matcher

  package init(_ filter: Filter, apps: [String]) { matcher = Matcher(filter, apps: apps) }

  package func matches(_ row: DeliveryMetrics.Row) -> Bool {
    var traits = DeliverySubject(row.traits)
    return matcher.matches(&traits)
  }
}

/// The properties that all pushes of a row of the delivery metrics share.
private struct DeliverySubject: MatchSubject {
  let numbers: MatchNumbers

  init(_ traits: DeliveryMetrics.Traits) {
    var numbers = MatchNumbers()
    numbers.set(traits.environment)
    numbers.set(traits.priority)
    if let type = traits.type { numbers.set(type) }
    if let app = traits.app { numbers.set(app: app) }
    self.numbers = numbers
  }
}
