import APNs
import Devices
import HTTP2
import Simulation
import Timeline
import Transport

/// A connection's own validation of its pushes, on its loop and without a lock.
///
/// It uses the state of the connection that the world returned after the last request that changed it. Pushes with the
/// last accepted provider token change nothing, nor do pushes of a client with a certificate; the first other request,
/// and all after it, wait for the world.
final class ExaminingConnection {
  var provider: ProviderConnection

  /// The examinations of the first requests of a batch.
  struct Examined {
    var list: [SettledExamination] = []
    /// The parsed payloads of Live Activity pushes.
    var activities: [ParsedActivityUpdate?] = []
    /// The machine's time.
    var at = Instant.distantPast
  }

  /// - Parameter provider: the state of the connection when it opens.
  init(_ provider: ProviderConnection) { self.provider = provider }

  /// Examines requests, up to the first that must wait for the world.
  ///
  /// - Parameter decoders: decoders of the content states of each app's activity types.
  func examine(
    _ requests: [IncomingRequest], by examiner: PushExaminer, _ tokens: SealedTokens, _ decoders: [[ContentDecoder?]],
    at wall: Instant
  ) -> Examined {
    // Each access to a member of a class is checked, so it is read once.
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
