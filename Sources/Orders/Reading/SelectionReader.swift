import Devices
import Grammar
import Simulation
import Timeline
import WireFormats

/// Reads a selection of devices: `where` of an order, and the same keys elsewhere.
package enum SelectionReader {
  package static let members = ["app", "os", "online", "share", "name", "user", "device", "devices"]

  /// Reads `where`, which is required, and `cursor`.
  package static func read(_ fields: Fields, _ fleet: Fleet) throws(InputProblem) -> Selection {
    let selection = try parse(fields)
    try check(selection, where: fields["where"], fleet)
    return selection
  }

  /// Rejects a selection with devices that the fleet does not have.
  ///
  /// - Parameter node: `where` as written, for the places in error messages.
  package static func check(_ selection: Selection, where node: SourceNode?, _ fleet: Fleet) throws(InputProblem) {
    guard let node, selection.filter.devices != nil || selection.filter.user != nil else { return }
    try check(selection, in: Fields(node, "where", known: members), for: fleet)
  }

  /// Reads the keys of a selection that are mixed with others.
  ///
  /// - Parameter keys: those of `members` that belong to a selection there.
  package static func read(_ fields: Fields, keys: [String], fleet: Fleet) throws(InputProblem) -> Selection {
    let selection = try parse(fields, keys)
    try check(selection, in: fields, for: fleet)
    return selection
  }

  /// Reads a selection without checking whether the fleet has its devices and apps.
  package static func parse(_ fields: Fields) throws(InputProblem) -> Selection {
    guard let node = fields["where"] else {
      throw fields.problem(
        "where",
        "where is required: an object with \(Wording.list(members, "or")); {} selects all devices.", code: .missingKey)
    }
    var selection = try parse(Fields(node, "where", known: members), members)
    if let cursor = try fields.text("cursor") {
      guard let start = UInt32(cursor), cursor.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        throw fields.problem("cursor", "cursor must be the value of `next` in the previous answer.")
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

  private static func check(_ selection: Selection, in fields: Fields, for fleet: Fleet) throws(InputProblem) {
    try DeviceList.check(selection.filter.devices ?? [], in: fields, of: fleet)
    if let sentence = fleet.problem(ofUser: selection.filter) {
      throw fields.problem("user", sentence, code: .notFound)
    }
  }
}
