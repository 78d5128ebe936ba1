import APNs
import Devices
import Timeline
import WireFormats

/// A provider's connection, by its number since the world began.
package struct ConnectionID: Hashable, Sendable {
  package let number: UInt64
  package init(_ number: UInt64) { self.number = number }
}

/// One request of a connection: where its answer goes.
package struct StreamID: Hashable, Sendable {
  package let connection: ConnectionID
  package let number: Int32

  package init(_ connection: ConnectionID, _ number: Int32) {
    self.connection = connection
    self.number = number
  }
}

/// Everything about one push: what was asked, what was answered, and what became of it.
package struct PushRecord: Hashable, Sendable {
  /// Counts the pushes of the world, from 1.
  package let sequence: UInt64
  package let at: Now
  package let stream: StreamID
  package let environment: Environment
  package let request: HTTPRequest
  package let answer: Answer
  /// Number of the provider's key on the key ring, once its token has passed.
  package let keyNumber: Int?
  /// Where the device token led, as far as it was looked up.
  package let address: Address?
  /// What had become of it when it was answered.
  package let firstFate: Fate
  /// What became of it since, the latest last.
  package internal(set) var later: [FateStep] = []

  /// What has become of it by now.
  package var fate: Fate { later.last?.fate ?? firstFate }
}
