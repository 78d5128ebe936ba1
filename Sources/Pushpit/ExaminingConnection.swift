import APNs
import Devices
import HTTP2
import Simulation
import Timeline
import Transport

/// A connection's own examination of its pushes, on its loop and without a lock.
///
/// It knows of the connection what the world said after the last request that changed something. Pushes with the
/// provider token that passed last change nothing, nor do those of a client with a certificate. The first request that
/// is another waits for the world, and so do all behind it.
final class ExaminingConnection {
  var provider: ProviderConnection

  /// The examinations of the first of some requests.
  struct Examined {
    var list: [SettledExamination] = []
    /// The payloads of those that are for Live Activities.
    var activities: [ParsedActivityUpdate?] = []
    /// By the machine's clock.
    var at = Instant.distantPast
  }

  /// - Parameter provider: what the world knows of the connection as it opens.
  init(_ provider: ProviderConnection) { self.provider = provider }

  /// Examines requests, up to the first that waits for the world.
  ///
  /// - Parameter decoders: of the content states of each app's types of activities.
  func examine(
    _ requests: [IncomingRequest], by examiner: PushExaminer, _ tokens: SealedTokens, _ decoders: [[ContentDecoder?]],
    at wall: Instant
  ) -> Examined {
    // Each access to a member of a class is checked: once is enough.
    var provider = self.provider
    defer { self.provider = provider }
    var examined = Examined(at: wall)
    examined.list.reserveCapacity(requests.count)
    examined.activities.reserveCapacity(requests.count)
    for request in requests {
      guard let examination = examiner.examine(request.request, on: &provider, tokens, at: wall) else { break }
      examined.activities.append(activity(of: examination, decoders))
      examined.list.append(examination)
    }
    return examined
  }

  private func activity(of examination: borrowing SettledExamination, _ decoders: [[ContentDecoder?]])
    -> ParsedActivityUpdate?
  {
    guard let address = examination.address, address.slot.isActivity, decoders.indices.contains(address.app) else {
      return nil
    }
    return ParsedActivityUpdate.read(examination.push.request, for: decoders[address.app])
  }
}
