import APNs
import Devices
import Grammar
import Reporting
import Simulation

/// The types of orders, for the published schema.
extension SelectionReader {
  package static let type = ValueType.members(
    FilterReader.members(
      members,
      [
        "app": .text().meaning("Devices with the app of this bundle id installed."),
        "share": .share.meaning(
          """
          Each of those devices is drawn separately, by the fleet's seed and `name`: 30% of 100 devices is about 30
          of them, not exactly 30. For an exact number, list `devices`.
          """),
        "name": .text().meaning(
          """
          The name of the draw. The same name draws the same devices, and a larger share includes all devices of a
          smaller one. A different name draws a different random set; the two may overlap.
          """),
      ])
  ).named("Selection", "The devices that match every condition; all devices without conditions.")
}

extension TokenReader {
  package static let type = ValueType.members(
    FilterReader.members(members, ["attributesType": .text(), "activity": .text()]),
    needed: ["token", "kind", "device", "app"])
}

extension FaultReader {
  private static let count = ValueType.whole(0...mostPushes)

  package static let condition = ValueType.members(
    FilterReader.members(
      conditions,
      ["event": .text(), "skip": count, "every": count, "opening": .truth, "idle": .duration]))

  package static let type = ValueType.members(
    [
      ("name", .text(most: Fault.nameLengths.upperBound)), ("when", condition), ("odds", .share),
      ("limit", count), ("from", .duration), ("until", .duration), ("for", .duration),
      ("then", ConsequenceReader.type),
    ], needed: ["name", "then"])
}
