import APNs
import Devices
import Timeline
import WireFormats

/// One thing that happened in the world. Answers on the wire, the push log, metrics and the admin API are readers of
/// the list of these, and no reader writes.
package enum WorldEvent: Hashable, Sendable {
  case connectionOpened(ProviderConnectionID, Environment, peer: String)
  case connectionClosed(ProviderConnectionID)
  case trouble(ClientTrouble)
  /// The provider is authorised: its connection may use more than one stream. Comes before the push that did it.
  case streamsAllowed(ProviderConnectionID)
  case push(PushRecord)
  /// A broadcast was published, or a channel managed.
  indirect case channels(ChannelRecord)
  /// What a broadcast has become on one phone.
  case broadcastReached(UInt64, DeviceID, Fate, at: Instant)

  /// A push that had been answered before has met another fate.
  case pushSettled(number: UInt64, DeviceID, Fate, at: Instant)
  /// Something else has been sent in answer to a push than was said of it before.
  case answerSent(push: UInt64, SentAnswer, at: Instant)
  /// A fault has struck a push to a device.
  case faultStruck(String, DeviceID, at: Instant)
  /// A fault has struck a connection by itself: as it opened, or in its silence.
  case connectionStruck(String, ProviderConnectionID, at: Instant)
  /// What a fault, or an answer it has held back, wants of the wire.
  indirect case wire(ProviderConnectionID, WireCommand)
  /// What a fault wants of the listeners of an environment, or of both; nil when all is well again.
  case listener(ListenerFault?, Environment?)
  /// An app calls its backend.
  indirect case call(CallRecord)
  /// A call of an app has ended, or could not be made.
  indirect case callEnded(CallEnd)
  /// Something happened on a phone, to one of its apps or to all of it.
  case phone(DeviceID, app: Int?, DeviceEvent, at: Instant)
}

extension WorldEvent {
  /// The stream and the answer of a request on that connection; nil for everything else.
  package func answer(on connection: ProviderConnectionID) -> (stream: Int32, response: HTTPResponse)? {
    switch self {
    case .push(let record) where record.stream.connection == connection && !record.isAnsweredApart:
      (record.stream.number, record.answer.response)
    case .channels(let record) where record.stream.connection == connection:
      (record.stream.number, record.answer.response)
    default: nil
    }
  }
}

/// Something that went wrong before or beside a push, in words for the person whose client it was.
package struct ClientTrouble: Hashable, Sendable {
  package let at: Instant
  /// A short name, the same for every trouble of the kind.
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
