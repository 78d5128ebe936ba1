import APNs
import Devices
import Timeline

/// Which Live Activities listen to which broadcast channel, and what a phone that was away has missed.
struct Subscriptions: Sendable {
  struct Channel: Hashable, Sendable {
    let home: ChannelHome
    /// As the app or the start said it, whether there is such a channel or not.
    let id: String
  }

  struct Subscriber: Hashable, Sendable {
    let device: DeviceID
    let app: Int
    let activity: UInt32
  }

  /// The last message of a channel that stores one.
  struct Message: Hashable, Sendable {
    let push: ArrivingPush
    let until: Instant
  }

  private var subscribers: [Channel: [Subscriber]] = [:]
  private var messages: [Channel: Message] = [:]
  /// Channels whose last message a phone has not had, in the order in which it missed them.
  private var missed: [DeviceID: [Channel]] = [:]

  func count(_ channel: Channel) -> Int { subscribers[channel]?.count ?? 0 }

  mutating func add(_ subscriber: Subscriber, to channel: Channel) {
    subscribers[channel, default: []].append(subscriber)
  }

  /// The subscribers of a channel in the order they came, those that are over included.
  func all(_ channel: Channel) -> [Subscriber] { subscribers[channel] ?? [] }

  mutating func keep(only current: [Subscriber], of channel: Channel) {
    subscribers[channel] = current.isEmpty ? nil : current
  }

  mutating func keep(_ message: Message, of channel: Channel) { messages[channel] = message }

  mutating func miss(_ channel: Channel, on device: DeviceID) {
    if missed[device]?.contains(channel) ?? false { return }
    missed[device, default: []].append(channel)
  }

  /// What a phone has missed and may still have.
  mutating func takeMissed(on device: DeviceID, at now: Instant) -> [(channel: Channel, message: Message)] {
    guard let channels = missed.removeValue(forKey: device) else { return [] }
    return channels.compactMap { channel in
      guard let message = messages[channel], message.until > now else { return nil }
      return (channel, message)
    }
  }
}
