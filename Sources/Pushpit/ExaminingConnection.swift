import APNs
import HTTP2
import Simulation
import Timeline
import Transport

/// A connection's own examination of its pushes, on its loop and without a lock.
///
/// It knows of the connection what the world said after the last request that changed something. Pushes with the
/// provider token that passed last change nothing; the first request that is another, and all behind it, wait for the
/// world.
final class ExaminingConnection {
  var provider: ProviderConnection
  private(set) var examinedAt = Instant.distantPast
  /// Of the requests at hand, from the first on.
  private var examined: [Examination?] = []

  init(to environment: Environment) { provider = ProviderConnection(environment: environment) }

  func examine(_ requests: [IncomingRequest], by examiner: PushExaminer, _ tokens: SealedTokens, at wall: Instant) {
    examinedAt = wall
    examined.removeAll(keepingCapacity: true)
    for request in requests {
      guard let examination = examiner.examine(request.request, on: &provider, tokens, at: wall) else { return }
      examined.append(examination)
    }
  }

  /// The examination of the request of that number among those at hand; nil where it waits for the world.
  func take(_ number: Int) -> Examination? {
    guard examined.indices.contains(number) else { return nil }
    defer { examined[number] = nil }
    return examined[number]
  }
}
