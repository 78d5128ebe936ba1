import Devices
import Grammar
import Orders
import Pushpit
import Simulation
import WireFormats

/// An action on one phone or on many: `pushpit do`.
package struct ActionOrder: Sendable {
  /// `d0`, several of them separated by commas, or `all`.
  package let devices: String
  /// The action and its details, as the admin API takes them.
  private let members: [JSONValue.Member]
  /// Conditions for the devices, as `where` has them.
  package var conditions: [(name: String, value: String)] = []

  package static let all = "all"
  /// Keys of the request that are not part of the action.
  private static let selecting = ["device", "devices", "where", "cursor"]

  /// - Parameters:
  ///   - action: the word of the action.
  ///   - details: such as `notifications=denied`.
  /// - Throws: `InputProblem` for a detail that is not KEY=VALUE, repeats a key, or is not JSON where an object is
  ///   expected.
  package init(_ action: String, on devices: String, details: [String]) throws(InputProblem) {
    self.devices = devices
    var members = [JSONValue.Member("do", .string(action))]
    for detail in details {
      let halves = detail.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard halves.count == 2, !halves[0].isEmpty else {
        throw InputProblem("a detail of an action must be KEY=VALUE, such as notifications=denied, not \(detail).")
      }
      guard !Self.selecting.contains(halves[0]) else {
        throw InputProblem(
          "\(halves[0]) is no detail of an action. The devices come first: d0, or d0,d1, or \(Self.all) with filters"
            + " such as --share 10%.")
      }
      guard !members.contains(where: { $0.key == halves[0] }) else {
        throw InputProblem("\(halves[0]) is given twice.")
      }
      members.append(.init(halves[0], try Self.value(halves[1], of: halves[0])))
    }
    self.members = members
  }

  /// True if it goes to one device, whose answer has the events.
  package var isForOne: Bool { devices != Self.all && !devices.contains(",") }

  /// The request, or its continuation.
  ///
  /// - Parameter cursor: where to continue on many devices.
  package func order(from cursor: String? = nil) -> AdminAPI.Order {
    guard !isForOne else {
      var order = AdminAPI.Order(post: ["v1", "devices", devices, "actions"], .object(members))
      order.mayBeImpossible = true
      return order
    }
    var selection = conditions.map { name, value in
      JSONValue.Member(name, GivenText.json(value, as: FilterReader.types[name]) ?? .string(value))
    }
    if devices != Self.all {
      let names = devices.split(separator: ",", omittingEmptySubsequences: false)
      selection.append(.init("devices", .array(names.map { .string(String($0)) })))
    }
    let place = cursor.map { [JSONValue.Member("cursor", .string($0))] } ?? []
    return AdminAPI.Order(post: ["v1", "actions"], .object(members + [.init("where", .object(selection))] + place))
  }

  /// The value of a detail, in the type that the grammar of actions gives its key. The server judges all others.
  private static func value(_ text: String, of key: String) throws(InputProblem) -> JSONValue {
    let type = DeviceAction.type.members.first { $0.name == key }?.type
    if let value = GivenText.json(text, as: type) { return value }
    throw InputProblem("\(key) must be JSON such as {\"score\":1}, not \(Wording.quoted(text)).")
  }
}

/// The outcome of an action, for people.
package struct ActionReport: Sendable {
  /// Devices on which it was done, and those that rejected it.
  private var done: Int64 = 0
  private var refused: Int64 = 0
  private var firstRefusal: String?

  package init() {}

  /// Adds the answer for some of the devices.
  package mutating func add(_ answer: JSONValue) {
    done += answer["done"]?.integer ?? 0
    refused += answer["refused"]?.integer ?? 0
    guard firstRefusal == nil, let first = answer["firstRefusal"], let sentence = first["sentence"]?.string else {
      return
    }
    firstRefusal = "\(first["device"]?.string ?? ""): \(sentence)"
  }

  /// True if no device has done it.
  package var isNone: Bool { done == 0 }

  package var lines: [String] {
    guard done + refused > 0 else { return ["No device matches."] }
    let rejection = firstRefusal.map { ["Rejected by \(Self.count(refused)). The first, \($0)"] } ?? []
    return (["Done on \(Self.count(done))."] + rejection).map { TerminalText.clean($0) }
  }

  /// The events of an action on one device, each by its name and its details.
  package static func events(_ answer: JSONValue) -> [String] {
    let rows = (answer["events"]?.elements ?? []).map { event in
      let details = (event.members ?? []).filter { !["event", "at", "device"].contains($0.key) }
      let texts = details.map { TerminalText.cut($0.value.string ?? $0.value.text, to: longestDetail) }
      return [event["event"]?.string ?? "", texts.joined(separator: " ")]
    }
    return rows.isEmpty ? ["Done; it changed nothing on the phone."] : Table(rows).lines(columns: nil)
  }

  /// Columns of a detail: enough for the id of an activity, while tokens are cut.
  private static let longestDetail = 40

  private static func count(_ number: Int64) -> String { number == 1 ? "1 device" : "\(number) devices" }
}

/// The words of all actions, for completions.
package enum ActionWords {
  package static let all = DeviceAction.names
}
