import APNs
import Devices
import Timeline

/// The faults that strike calls of apps to their backends, in the order of the list of faults.
struct ReportFaultIndex: Sendable {
  /// The attributes of a call that a fault's condition can use.
  struct Call {
    let device: DeviceID
    let app: Int
    let os: OSVersion
    /// Name of the event that caused it.
    let event: String
  }

  /// Indices of the faults in the list.
  private(set) var places: [Int]

  init(_ faults: [ActiveFault] = []) {
    places = faults.indices.filter { if case .reports = faults[$0].fault.consequence { true } else { false } }
  }

  /// The first fault that strikes a call, if any.
  ///
  /// - Parameter faults: the list of faults, where the strike is counted.
  func strike(_ call: Call, in faults: inout [ActiveFault], at now: Instant) -> (name: String, fault: ReportFault)? {
    strike(call, in: &faults, at: now) { $0.isOfClocks ? nil : $0 }
  }

  /// Offset of the phone's clock when an app is about to report a time; nil if the clock is right.
  func clockError(_ call: Call, in faults: inout [ActiveFault], at now: Instant) -> (name: String, ahead: Duration)? {
    strike(call, in: &faults, at: now) { if case .clock(let ahead) = $0 { ahead } else { nil } }
  }

  private func strike<Effect>(
    _ call: Call, in faults: inout [ActiveFault], at now: Instant, _ effect: (ReportFault) -> Effect?
  ) -> (name: String, Effect)? {
    for place in places {
      guard case .reports(let fault) = faults[place].fault.consequence, let effect = effect(fault),
        faults[place].isScheduled(at: now), faults[place].matches(call),
        faults[place].drawsStrike(for: ReportRegistry.key(call.device, call.app))
      else { continue }
      return (faults[place].fault.label, effect)
    }
    return nil
  }
}

extension ActiveFault {
  fileprivate func matches(_ call: ReportFaultIndex.Call) -> Bool {
    var subject = CallSubject(call)
    return matcher.matches(&subject)
  }
}
