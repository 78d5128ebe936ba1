import Devices
import WireFormats

/// Writes which devices an order is for, as `SelectionReader` reads `where`.
enum SelectionWriter {
  static func json(_ selection: Selection) -> JSONValue {
    var object = ObjectWriter()
    FilterWriter.put(selection.filter, in: &object)
    if !selection.shareName.isEmpty { object.put("name", selection.shareName) }
    return object.json
  }
}
