import APNs
import Devices
import WireFormats

/// Writes the filters of faults and selections in the form that `FilterReader` reads.
enum FilterWriter {
  static func put(_ filter: Filter, in object: inout ObjectWriter) {
    object.put("environment", filter.environment?.rawValue)
    object.put("app", filter.app)
    object.put("pushType", filter.type?.rawValue)
    object.put("priority", filter.priority?.rawValue)
    object.put("event", filter.event)
    object.put("tokenKind", filter.tokenKind?.name)
    object.put("state", filter.isOnline.map { $0 ? "online" : "offline" })
    if let devices = filter.devices { object.put("devices", devices) }
    object.put("os", filter.os?.text)
    object.put("share", filter.share)
    object.put("connection", filter.connection)
  }
}
