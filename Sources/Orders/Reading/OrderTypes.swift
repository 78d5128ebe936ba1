import APNs
import Devices
import Grammar
import Reporting
import Simulation

/// The types of orders, for the published schema.
extension SelectionReader {
  package static let type = ValueType.members(FilterReader.members(members, ["name": .text()]))
}

extension TokenReader {
  package static let type = ValueType.members(
    FilterReader.members(members, ["attributesType": .text(), "activity": .text()]),
    needed: ["token", "kind", "device", "app"])
}

extension FaultReader {
  package static let condition = ValueType.members(
    FilterReader.members(
      conditions,
      ["event": .text(), "skip": .anyWhole, "every": .anyWhole, "opening": .truth, "idle": .duration]))

  package static let type = ValueType.members(
    [
      ("name", .text(most: Fault.nameLengths.upperBound)), ("when", condition), ("odds", .share),
      ("limit", .anyWhole), ("from", .duration), ("until", .duration), ("for", .duration),
      ("then", ConsequenceReader.type),
    ], needed: ["name", "then"])
}
