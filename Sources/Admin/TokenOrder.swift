import Simulation
import WireFormats

/// A token that the user already has, in the form of `POST /v1/tokens`, for those who read it from elsewhere.
package enum TokenOrder {
  package static let members = ["token", "kind", "device", "app", "attributesType", "activity"]

  package static func read(_ value: JSONValue) throws(AdminProblem) -> Command {
    try TokenRoutes.command(try Form(value, named: "register", allowed: members))
  }
}
