import APNs
import Devices
import Grammar
import Simulation

/// Reads a token that the user already has: the body of `POST /v1/tokens`, and `register` of a scenario.
package enum TokenReader {
  package static let members = ["token", "kind", "device", "app", "attributesType", "activity"]
  /// Further keys that responses have.
  package static let answered = ["topic", "environment", "live", "given"]

  package static func read(_ fields: Fields) throws(InputProblem) -> Command {
    let text = try fields.needed("token", "the token in hexadecimal, as your backend has it")
    guard let token = DeviceToken(text) else {
      throw fields.problem(
        "token", "token must be 1 to \(DeviceToken.longest) bytes in hexadecimal, two digits each.")
    }
    let choice = try TokenChoice(fields)
    let device = try DeviceList.needed(fields)
    return .register(
      token, device, app: try fields.needed("app", "the bundle id of an app of the fleet"), choice.kind,
      attributesType: choice.attributesType, activity: choice.activity)
  }
}
