import APNs
import Devices
import Timeline
import WireFormats

/// An event in the world. The answers on the wire, the push log, metrics and the admin API read the list
/// of these events; readers never write.
package enum WorldEvent: Hashable, Sendable {
  case connectionOpened(ProviderConnectionID, Environment, peer: String)
  case connectionClosed(ProviderConnectionID)
  case trouble(ClientTrouble)
  /// The provider is authorised: its connection may use more than one stream. Comes before the push that caused it.
  case streamsAllowed(ProviderConnectionID)
  case push(PushRecord)
  /// A broadcast was published, or a channel was managed.
  indirect case channels(ChannelRecord)
  /// The fate of a broadcast on one phone.
  case broadcastReached(UInt64, DeviceID, Fate, at: Instant)

  /// A push that was answered before has a new fate.
  case pushSettled(number: UInt64, DeviceID, Fate, at: Instant)
  /// Another answer was sent to a push than recorded before.
  case answerSent(push: UInt64, SentAnswer, at: Instant)
  /// A fault has struck a push to a device.
  case faultStruck(String, DeviceID, at: Instant)
  /// A fault has struck a connection without a push: when it opened, or when it was idle.
  case connectionStruck(String, ProviderConnectionID, at: Instant)
  /// A command to the wire, from a fault or a delayed answer.
  indirect case wire(ProviderConnectionID, WireCommand)
  /// The effect of faults on the listeners of an environment, or of both; nil after the last fault is removed.
  case listener(ListenerFault?, Environment?)
  /// An app calls its backend.
  indirect case call(CallRecord)
  /// A call of an app has ended, or could not be made.
  indirect case callEnded(CallEnd)
  /// An event on a phone, of one of its apps or of the whole phone.
  case phone(DeviceID, app: Int?, DeviceEvent, at: Instant)
}

extension WorldEvent {
  /// True if it happened to a push or on a phone, and not to a connection, a channel or a listener.
  var isOfPushOrPhone: Bool {
    switch self {
    case .push, .broadcastReached, .pushSettled, .answerSent, .faultStruck, .call, .callEnded, .phone: true
    case .connectionOpened, .connectionClosed, .trouble, .streamsAllowed, .channels, .connectionStruck, .wire,
      .listener:
      false
    }
  }

  /// The stream and the answer of a request on that connection; nil for everything else.
  package func answer(on connection: ProviderConnectionID) -> (stream: Int32, response: HTTPResponse)? {
    switch self {
    case .push(let record) where record.stream.connection == connection && !record.isAnsweredApart:
      (record.stream.number, record.answer.response)
    case .channels(let record) where record.stream.connection == connection && !record.isAnsweredApart:
      (record.stream.number, record.answer.response)
    default: nil
    }
  }
}

/// A problem before or besides a push, described for the client's developer.
package struct ClientTrouble: Hashable, Sendable {
  package let at: Instant
  /// A short name, shared by all troubles of the kind.
  package let kind: String
  package let peer: String
  package let sentence: String

  package init(at: Instant, kind: String, peer: String, sentence: String) {
    self.at = at
    self.kind = kind
    self.peer = peer
    self.sentence = sentence
  }
}
