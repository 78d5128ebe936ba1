import Devices

/// A device that something has happened to. All others follow from the seed and are not stored.
struct DeviceState: Hashable, Sendable {
  var isOnline = true
  var installs: [Install]
}
