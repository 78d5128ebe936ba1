import Devices
import Grammar
import Timeline
import WireFormats

/// Reads some of the fleet: `where` of an order, and the same keys elsewhere.
package enum SelectionReader {
  package static let members = ["app", "os", "state", "share", "name", "device", "devices"]

  /// Reads `where`, which is needed, and `cursor`.
  package static func read(_ fields: Fields, _ fleet: Fleet) throws(InputProblem) -> Selection {
    let selection = try parse(fields)
    if let node = fields["where"] { try check(selection, Fields(node, "where", known: members), fleet) }
    return selection
  }

  /// Reads the keys of a selection that stand among others.
  ///
  /// - Parameter keys: those of `members` that are a selection's there.
  package static func read(_ fields: Fields, _ keys: [String], _ fleet: Fleet) throws(InputProblem) -> Selection {
    let selection = try parse(fields, keys)
    try check(selection, fields, fleet)
    return selection
  }

  /// Reads a selection without asking whether the fleet has its devices and apps.
  static func parse(_ fields: Fields) throws(InputProblem) -> Selection {
    guard let node = fields["where"] else {
      throw fields.problem(
        "where",
        "where is needed: an object with \(Wording.list(members, "or")); {} stands for all devices.", code: .missingKey)
    }
    var selection = try parse(Fields(node, "where", known: members), members)
    if let cursor = try fields.text("cursor") {
      guard let start = UInt32(cursor), cursor.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        throw fields.problem("cursor", "cursor is what `next` of the answer before said, as it was.")
      }
      selection.start = start
    }
    return selection
  }

  private static func parse(_ fields: Fields, _ keys: [String]) throws(InputProblem) -> Selection {
    var selection = Selection()
    try FilterReader.read(fields.only(keys), into: &selection.filter)
    if keys.contains("name") { selection.shareName = try fields.text("name") ?? "" }
    return selection
  }

  private static func check(_ selection: Selection, _ fields: Fields, _ fleet: Fleet) throws(InputProblem) {
    try DeviceList.check(selection.filter.devices ?? [], fields, fleet)
  }
}
