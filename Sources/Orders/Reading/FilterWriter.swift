import APNs
import Devices
import Simulation
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
    object.put("online", filter.isOnline.map { JSONValue.bool($0) })
    if let devices = filter.devices { object.put("devices", devices) }
    object.put("os", filter.os?.text)
    object.put("share", filter.share)
    object.put("connection", filter.connection)
    object.put("operation", filter.operation?.rawValue)
    object.put("channel", filter.channel)
  }
}
