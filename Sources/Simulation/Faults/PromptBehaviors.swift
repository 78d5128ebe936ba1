import APNs
import Devices

/// Answers of people to the Allow question, on the phones of faults that are in force.
struct PromptBehaviors: Sendable {
  private struct Behavior: Sendable {
    let fault: ActiveFault
    let model: PhoneBehavior
  }

  /// In the order in which the faults came into force.
  private var list: [Behavior] = []

  var isEmpty: Bool { list.isEmpty }
  /// Names of the faults.
  var names: [String] { list.map(\.fault.fault.name) }

  /// A fault has come into force.
  ///
  /// - Parameter usual: the behavior without the fault.
  mutating func begin(_ fault: ActiveFault, _ prompts: PromptFault, instead usual: PhoneBehavior) {
    list.append(Behavior(fault: fault, model: usual.asking(prompts.applied(to: usual.policy.prompt))))
  }

  /// A fault is no longer in force.
  mutating func end(_ name: String) { list.removeAll { $0.fault.fault.name == name } }

  /// The behavior of a phone and its person.
  func model(of device: DeviceID, in fleet: Fleet) -> PhoneBehavior {
    list.first { $0.fault.matches(device, in: fleet) }?.model ?? fleet.model
  }
}
