import APNs
import Devices
import Reporting
import Simulation
import Timeline
import WireFormats

/// An event in a line, with everything in it that chance or time has a hand in: equal lines, equal events.
enum EventLine {
  static func of(_ event: WorldEvent) -> String {
    switch event {
    case .connectionOpened(let id, let environment, let peer): return "opened \(id.number) \(environment) \(peer)"
    case .connectionClosed(let id): return "closed \(id.number)"
    case .trouble(let trouble): return "trouble \(trouble.kind) \(at(trouble.at))"
    case .streamsAllowed(let id): return "streams \(id.number)"
    case .push(let record):
      let since = record.answer.rejection?.since.map { at($0) } ?? "-"
      return "push \(record.sequence) \(at(record.at.world)) \(record.answer.id.text) "
        + "\(record.answer.uniqueID?.text ?? "-") \(record.status) \(record.reason?.rawValue ?? "-") \(since) "
        + of(record.firstFate)
    case .channels(let record): return "channels \(record.number) \(record.answer.status)"
    case .broadcastReached(let number, let device, let fate, let instant):
      return "broadcast \(number) \(device.text) \(at(instant)) \(of(fate))"
    case .pushSettled(let number, let device, let fate, let instant):
      return "settled \(number) \(device.text) \(at(instant)) \(of(fate))"
    case .answerSent(let number, let sent, let instant): return "sent \(number) \(sent.words) \(at(instant))"
    case .faultStruck(let name, let device, _): return "fault \(name) \(device.text)"
    case .connectionStruck(let name, let connection, _): return "fault \(name) \(connection.number)"
    case .wire(let id, let order): return "wire \(id.number) \(order.name)"
    case .listener(let fault, _): return "listener \(fault == nil ? "well" : "ill")"
    case .call(let record): return "call \(record.number) \(record.device.text) \(record.call.url) \(at(record.at))"
    case .callEnded(let end): return "called \(end.number) \(end.device.text) \(end.sentence) \(at(end.at))"
    case .phone(let device, let app, let deviceEvent, let instant):
      let slot = deviceEvent.slot.map { "\($0.kind.name)" } ?? "-"
      let details = deviceEvent.details.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
      return "\(deviceEvent.name) \(device.text) \(app ?? -1) \(deviceEvent.activity.map { "\($0)" } ?? "-") \(slot) "
        + "\(at(instant)) \(details)"
    }
  }

  static func of(_ fate: Fate) -> String {
    switch fate {
    case .stored(.power(let why, let until)): "\(fate.words) \(why.rawValue) until \(at(until))"
    case .discarded(let why), .discardedFromStorage(let why): "\(fate.words): \(why.rawValue)"
    case .delivered(let reaction), .deliveredFromStorage(let reaction): "\(fate.words): \(of(reaction))"
    case .onTheWay(let why, let until): "\(fate.words) \(why.rawValue) until \(at(until))"
    case .refused, .stored(.offline): fate.words
    }
  }

  private static func of(_ reaction: Reaction) -> String {
    switch reaction {
    case .notified(let shown):
      "notified \(shown.shape.rawValue) \(shown.cause.rawValue) \(shown.number.map { "\($0)" } ?? "-") "
        + "\(shown.replaced.map { "\($0)" } ?? "-") \(shown.sound?.name ?? "-") \(shown.badge.map { "\($0)" } ?? "-")"
    case .background(let outcome):
      switch outcome {
      case .woken(let until): "woken until \(at(until))"
      case .deliveredToRunning: "handled"
      case .held(let cause, let until): "held \(cause.rawValue) until \(until.map { at($0) } ?? "-")"
      case .discarded(let cause): "dropped \(cause.rawValue)"
      case .notWoken: "not woken"
      }
    case .call(let outcome): outcome.name
    case .service(let reaction): reaction.rawValue
    case .started(let number, let remarks): "started \(number) \(remarks.rawValue)"
    case .updated(let number, let remarks, let before):
      "updated \(number) \(remarks.rawValue) over \(before.content.value("content-state")?.text ?? "-")"
    case .ended(let number, let dismissal, let remarks, _): "ended \(number) \(at(dismissal)) \(remarks.rawValue)"
    case .held(let why, let until): "held \(why.rawValue) until \(at(until))"
    case .dropped(let cause, let detail): "dropped \(cause.rawValue) \(detail?.text ?? "-")"
    }
  }

  private static func at(_ instant: Instant) -> String {
    instant == .distantFuture ? "never" : "\(Stage.began.duration(to: instant).wholeNanoseconds)"
  }
}
