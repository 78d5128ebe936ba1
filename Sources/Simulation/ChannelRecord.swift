import APNs
import Devices
import Timeline
import WireFormats

/// One request to the broadcast interfaces: what was asked and what was answered.
package struct ChannelRecord: Hashable, Sendable {
  /// Counts these requests, from 1.
  package let number: UInt64
  package let at: Now
  package let stream: StreamID
  package let home: ChannelHome
  package let operation: ChannelOperation?
  package let channelID: ChannelID?
  package let request: HTTPRequest
  package let answer: ChannelAnswer
  package let keyNumber: Int?
  /// Live Activities that a broadcast was for.
  package let subscribers: Int
}
