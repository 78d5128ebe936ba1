import APNs
import Timeline

/// The effect of a fault on a connection.
struct ConnectionStrike {
  /// Fate of the push that triggered the fault.
  enum TriggeringPush {
    /// Delivered and answered.
    case served
    /// Neither delivered nor answered.
    case lost(SentAnswer.Cause)
    case refused(RejectionReason)
  }

  var push = TriggeringPush.served
  /// Sent to the wire at once, in this order.
  var commands: [WireCommand] = []
  /// The last stream that is served from now on.
  var lastStream: Int32?
  /// Sent to the wire after a delay.
  var later: (command: WireCommand, after: Duration)?
  /// The effect that lasts until the fault is deleted.
  var lasting: (any LastingConnectionFault)?
}
