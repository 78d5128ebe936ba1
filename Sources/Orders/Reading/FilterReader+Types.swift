import APNs
import Devices
import Grammar
import Reporting
import Simulation

/// The type of each key, for the published schema. The lists of keys are those of the readers.
extension FilterReader {
  /// The keys of all filters.
  package static let types: [String: ValueType] = [
    "app": .text(), "os": .os, "online": .truth, "share": .share, "device": .device,
    "devices": .list(of: .device),
    "environment": .words(Environment.allCases.map(\.rawValue)), "connection": .anyWhole,
    "pushType": pushType, "priority": .numbers(Priority.allCases.map(\.rawValue)),
    "kind": tokenKind, "tokenKind": tokenKind, "apnsId": .uuid, "topic": .text(), "token": .text(),
    "payload": .object, "body": .object, "status": .whole(100...599),
    "reason": .words(RejectionReason.allCases.map(\.rawValue)),
    "sent": .either([.whole(100...599), .words(SentAnswer.names)]),
    "fate": .words(Fate.allWords), "cause": .words(Fate.allCauses), "outcome": .words(Fate.allOutcomes),
    "fault": .text(), "failure": .words(CallOutcome.Failure.allCases.map(\.rawValue)), "failed": .truth,
    "live": .truth, "operation": .words(ChannelOperation.allCases.map(\.rawValue)), "channel": .text(),
  ]

  private static let pushType = ValueType.words(PushType.allCases.map(\.rawValue))
  private static let tokenKind = ValueType.words(TokenKind.allCases.map(\.name))

  /// Some of the keys with their types. `others` has keys that are not part of filters, or have another meaning there.
  package static func members(
    _ names: [String], _ others: [String: ValueType] = [:]
  ) -> [(name: String, type: ValueType)] {
    names.compactMap { name in (others[name] ?? types[name]).map { (name, $0) } }
  }
}

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
