import APNs
import Devices
import Timeline

/// The question of an expectation about broadcasts.
package struct BroadcastQuestion: Sendable {
  package let filter: Filter
  package let claim: Claim
  /// About each arrival on a phone, instead of each request.
  package let isAboutArrivals: Bool

  /// A question about requests is one about broadcasts, unless the filter names another operation.
  package init(_ filter: Filter, _ claim: Claim, isAboutArrivals: Bool) {
    var filter = filter
    if !isAboutArrivals, filter.operation == nil { filter.operation = .publish }
    self.filter = filter
    self.claim = claim
    self.isAboutArrivals = isAboutArrivals
  }
}

/// A broadcast or a request about channels as an expectation sees it, or the arrival of a broadcast on a phone.
struct ObservedBroadcast: Sendable {
  let number: UInt64
  let at: Instant
  let operation: ChannelOperation?
  let channel: ChannelID?
  /// The channel's name in the scenario.
  let name: String?
  let environment: Environment
  let status: Int
  let reason: RejectionReason?
  let step: Int?
  private let stepName: String?
  private(set) var numbers = MatchNumbers()
  /// The phone of an arrival.
  private(set) var device: DeviceID?
  /// The fate on that phone.
  private(set) var fate: Fate?

  init(_ record: ChannelRecord, name: String?, step: Int?, _ names: BroadcastObserver.Names) {
    number = record.number
    at = record.at.world
    operation = record.operation
    channel = record.channelID
    environment = record.home.environment
    status = record.answer.status
    reason = record.answer.rejection?.reason
    self.name = name
    self.step = step
    stepName = step.flatMap { names.steps.indices.contains($0) ? names.steps[$0] : nil }
    numbers.set(environment)
    numbers.set(status: status)
    if let app = names.apps.firstIndex(of: record.home.bundleID) { numbers.set(app: app) }
  }

  /// The arrival on a phone.
  func arrived(on device: DeviceID, _ fate: Fate) -> ObservedBroadcast {
    var arrival = self
    arrival.device = device
    arrival.numbers.set(device)
    arrival.fate = fate
    return arrival
  }
}

extension ObservedBroadcast: DescribedSubject {
  var kind: Filter.Kind { .broadcast }
  var withoutBody: String { "it has no body" }

  func isChannel(_ name: String) -> Bool { name == self.name || name == channel?.text }

  mutating func found(_ part: Filter.Part) -> String {
    let text: String? =
      switch part {
      case .operation: operation?.rawValue
      case .step: stepName
      case .channel: name ?? channel?.text
      case .environment: environment.rawValue
      case .status: "\(status)"
      case .reason: reason?.rawValue
      case .devices: device?.text
      case .fate: fate?.words
      case .outcome: fate?.outcome
      case .cause: fate.flatMap { $0.causes.isEmpty ? nil : $0.causes.joined(separator: " and ") }
      default: nil
      }
    return text ?? "none"
  }
}
