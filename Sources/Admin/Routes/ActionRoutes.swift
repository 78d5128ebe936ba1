import APNs
import Devices
import Grammar
import Orders
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Actions on many devices.
enum ActionRoutes {
  static let routes: [Route] = [
    Route(
      "POST /v1/actions", id: "actOnMany", tag: .fleet, summary: "perform an action on many devices", answer: actOnMany
    )
    .meaning(
      """
      An action as for one device, with the selection of devices in `where`: those that match every condition.
      Devices on which the action is not possible are skipped. One order changes at most 10,000 devices and
      looks at 100,000; if there are more, the answer has a `next`, to be passed as `cursor` with the same
      order.
      """
    )
    .body(
      .action,
      examples: [
        .init(
          "share", "A quarter of all phones on iOS 18 lose their connection",
          value: ["do": "goOffline", "where": ["os": "18", "share": .double(0.25), "name": "tunnel"]]
        ),
        .init(
          "sameShare", "The same quarter reconnects",
          value: ["do": "goOnline", "where": ["os": "18", "share": .double(0.25), "name": "tunnel"]]
        ),
        .init(
          "devices", "Two phones open the app",
          value: ["do": "open", "app": "com.example.app", "where": ["devices": ["d3", "d4"]]]
        ),
      ]
    )
    .answers(.json("The result.", outcome.schema), .notFound)
  ]

  private static let outcome = Shape<CommandOutcome>(members: [
    .init("done", .whole, meaning: "Devices on which it was done.") { JSONValue($0.done) },
    .init("refused", .whole, meaning: "Devices on which it was not possible.") { JSONValue($0.refused) },
    .orNull("firstRefusal", refusal, meaning: "Why it was not possible on the first of those.") { $0.firstRefusal },
    .init("next", .next) { JSONValue($0.next.map { String($0) }) },
  ])

  private static let refusal = Shape<(device: DeviceID, sentence: String)>(members: [
    .init("device", .deviceID) { .string($0.device.text) }, .init("sentence", .string) { .string($0.sentence) },
  ])

  static func actOnMany(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply
  {
    .unlocked { [context] () throws(AdminProblem) in
      let (action, selection, place) = try context.read(RequestBody.action) { fields throws(InputProblem) in
        (
          try DeviceAction.read(fields, beside: ["where", "cursor"]), try SelectionReader.parse(fields), fields["where"]
        )
      }
      return .more { (context, simulator) throws(AdminProblem) in
        try AdminProblem.checking { () throws(InputProblem) in
          try SelectionReader.check(selection, where: place, simulator.world.fleet)
        }
        return try act(
          action, selection: selection, from: selection.start, after: CommandOutcome(), in: &context, on: &simulator)
      }
    }
  }

  /// Goes through the devices, some per hold of the lock.
  ///
  /// - Parameters:
  ///   - start: where the request began.
  ///   - before: the result so far.
  private static func act(
    _ action: DeviceAction, selection: Selection, from start: UInt32, after before: CommandOutcome,
    in context: inout AdminContext, on simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    var outcome = try AdminProblem.wrapping { () throws(CommandProblem) in
      try simulator.world.perform(.devices(selection, action), at: simulator.now(wall: context.wall))
    }
    context.settle(&simulator)
    outcome.done += before.done
    outcome.refused += before.refused
    outcome.firstRefusal = before.firstRefusal ?? outcome.firstRefusal
    if let next = outcome.next, next - start < Selection.most,
      outcome.done + outcome.refused < Selection.mostChanged
    {
      var rest = selection
      rest.start = next
      return .more { [rest, outcome] (context, simulator) throws(AdminProblem) in
        try act(action, selection: rest, from: start, after: outcome, in: &context, on: &simulator)
      }
    }
    let result = Self.outcome.json(outcome)
    return .json(result)
  }
}
