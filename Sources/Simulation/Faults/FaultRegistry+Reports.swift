import APNs
import Devices
import Timeline

extension FaultRegistry {
  /// What a fault may look at of a call of an app.
  struct CallFacts {
    let device: DeviceID
    let app: Int
    let os: OSVersion
    /// Name of the event at which it is made.
    let event: String
  }

  /// The first fault that strikes a call of an app, and how many of its calls it has looked at; nil for none.
  mutating func strike(_ facts: CallFacts, at now: Instant) -> (name: String, fault: ReportFault)? {
    for place in reporting {
      guard case .reports(let fault) = armed[place].fault.consequence, !fault.isOfClocks, armed[place].isOn(at: now),
        isFor(place, facts), counts(place, of: ReportRegistry.key(facts.device, facts.app))
      else { continue }
      return (armed[place].fault.label, fault)
    }
    return nil
  }

  /// By how much the phone's clock is ahead, as an app sees it that is about to say what time it is; nil where it is
  /// right.
  mutating func clockError(_ facts: CallFacts, at now: Instant) -> (name: String, ahead: Duration)? {
    for place in reporting {
      guard case .reports(.clock(let ahead)) = armed[place].fault.consequence, armed[place].isOn(at: now),
        isFor(place, facts), counts(place, of: ReportRegistry.key(facts.device, facts.app))
      else { continue }
      return (armed[place].fault.label, ahead)
    }
    return nil
  }

  private func isFor(_ place: Int, _ facts: CallFacts) -> Bool {
    var call = CallSubject(facts)
    return armed[place].matcher.matches(&call)
  }
}
