import Devices
import Simulation
import WireFormats

/// Writes a selection in the form of `where` that `SelectionReader` reads.
enum SelectionWriter {
  static func json(_ selection: Selection) -> JSONValue {
    var object = ObjectWriter()
    object.put(membersOf: FilterReader.json(selection.filter))
    if !selection.shareName.isEmpty { object.put("name", selection.shareName) }
    return object.json
  }
}
