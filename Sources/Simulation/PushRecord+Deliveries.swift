import APNs
import Timeline

extension PushRecord {
  /// The delivery statuses that it has reached, each with its time, the latest last; empty if APNs did not process it.
  package var deliveries: [(status: DeliveryStatus, at: Instant)] {
    guard answer.rejection == nil else { return [(fate.status, at.world)] }
    guard isProcessed else { return [] }
    var reached = [(status: DeliveryStatus.received, at: at.world), (status: firstFate.status, at: at.world)]
    for step in later where step.fate.status != reached.last?.status { reached.append((step.fate.status, step.at)) }
    return reached
  }
}
