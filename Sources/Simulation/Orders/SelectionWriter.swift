import Devices
import Timeline
import WireFormats

/// Writes a selection in the form of `where` that `SelectionReader` reads.
enum SelectionWriter {
  static func json(_ selection: Selection) -> JSONValue {
    var object = ObjectWriter()
    object.put("app", selection.filter.app)
    object.put("os", selection.filter.os?.text)
    object.put("state", selection.filter.isOnline.map { $0 ? "online" : "offline" })
    object.put("share", selection.share)
    if !selection.shareName.isEmpty { object.put("name", selection.shareName) }
    if let devices = selection.devices { object.put("devices", devices) }
    return object.json
  }
}
