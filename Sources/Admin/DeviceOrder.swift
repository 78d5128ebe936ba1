import Devices
import Simulation
import WireFormats

/// Orders in the JSON form of the admin API, for others who take them: a scenario's steps.
package enum DeviceOrder {
  /// Every member that some action takes, `do` among them.
  package static let members = ActionOrder.members

  package static func action(_ value: JSONValue) throws(AdminProblem) -> DeviceAction {
    try ActionOrder.read(Form(value, named: "do", allowed: members))
  }

  /// - Parameter place: the value of `where`.
  package static func selection(_ place: JSONValue, _ fleet: Fleet) throws(AdminProblem) -> Selection {
    try SelectionOrder.read(Form(.object([.init("where", place)]), named: "where", allowed: ["where"]), fleet)
  }
}
