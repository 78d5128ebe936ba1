import APNs
import Devices
import Simulation

/// Names an event for a tape: short, but sufficient to describe a difference.
///
/// Most events are pushes with the same fate as the previous one, so that label is cached.
struct EventLabel: Sendable {
  private var reason: String?
  private var fate: String?
  private var status = 0
  private var text = ""

  mutating func of(_ event: WorldEvent) -> String {
    guard case .push(let record) = event else { return Self.name(event) }
    let facts = record.facts
    let (reason, fate) = (facts.answer.rejection?.reason.rawValue, facts.firstFate.words)
    if reason == self.reason, fate == self.fate, facts.answer.status == status { return text }
    self.reason = reason
    self.fate = fate
    status = facts.answer.status
    text = "\(status) " + (reason.map { "\($0), " } ?? "") + fate
    return text
  }

  private static func name(_ event: WorldEvent) -> String {
    switch event {
    case .push(let record): "\(record.answer.status)"
    case .connectionOpened: "connectionOpened"
    case .connectionClosed: "connectionClosed"
    case .trouble(let trouble): "trouble \(trouble.kind)"
    case .streamsAllowed: "streamsAllowed"
    case .channels(let record): "channelRequest \(record.answer.status)"
    case .broadcastReached(_, _, let fate, _): "broadcastReached \(fate.words)"
    case .pushSettled(_, _, let fate, _): "pushSettled \(fate.words)"
    case .answerSent(_, let sent, _): "answerSent \(sent.name)"
    case .faultStruck: "faultStruck"
    case .connectionStruck: "connectionStruck"
    case .wire(_, let order): "wire \(order.name)"
    case .listener(let fault, _): fault == nil ? "listener heal" : "listener fault"
    case .call: "call"
    case .callEnded: "callEnded"
    case .phone(_, _, let deviceEvent, _): deviceEvent.name
    }
  }
}
