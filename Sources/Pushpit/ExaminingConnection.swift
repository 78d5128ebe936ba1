import APNs
import Devices
import HTTP2
import Simulation
import Timeline
import Transport
import WireFormats

/// A connection's own validation of its pushes, on its loop and without a lock.
///
/// It uses the rules and keys of an epoch, and the state of the connection that the world returned after the last
/// request that changed it. Pushes with the last accepted provider token change nothing, nor do pushes of a client with
/// a certificate; the first other request, and all after it, wait for the world.
final class ExaminingConnection {
  private(set) var provider: ProviderConnection
  private var examiner: PushExaminer
  private var latest = LatestPayload()

  /// The examinations of the first requests of a batch.
  struct Examined {
    var list: [SettledExamination] = []
    /// The parsed payloads of Live Activity pushes.
    var activities: [ParsedActivityUpdate?] = []
    /// The machine's time.
    var at = Instant.distantPast
    /// The epoch of the keys with which they were made.
    var epoch: UInt64 = 0
  }

  /// - Parameter provider: the state of the connection when it opens.
  init(_ provider: ProviderConnection, _ examiner: PushExaminer) {
    self.provider = provider
    self.examiner = examiner
  }

  /// The world has changed the connection's state, or validated a request by keys of a newer epoch.
  func update(_ provider: ProviderConnection, _ examiner: PushExaminer) {
    self.provider = provider
    self.examiner = examiner
  }

  /// Examines requests, up to the first that must wait for the world.
  ///
  /// - Parameter decoders: decoders of the content states of each app's activity types.
  func examine(
    _ requests: [IncomingRequest], _ tokens: SealedTokens, _ decoders: [[ContentDecoder?]], at wall: Instant
  ) -> Examined {
    // Each access to a member of a class is checked, so it is read once.
    var (provider, latest) = (self.provider, self.latest)
    defer { (self.provider, self.latest) = (provider, latest) }
    let examiner = examiner
    var examined = Examined(at: wall, epoch: examiner.epoch)
    examined.list.reserveCapacity(requests.count)
    examined.activities.reserveCapacity(requests.count)
    for request in requests {
      guard let examination = examiner.examine(request.request, on: &provider, tokens, at: wall) else { break }
      if let address = examination.address, address.slot.isActivity, decoders.indices.contains(address.app) {
        examined.activities.append(latest.read(request.request, app: address.app, for: decoders[address.app]))
      } else {
        examined.activities.append(nil)
      }
      examined.list.append(examination)
    }
    return examined
  }
}

/// The payload that a connection parsed last: a backend usually sends one update to many phones in a row.
struct LatestPayload {
  private var request: HTTPRequest?
  private var app = 0
  private var activity: ParsedActivityUpdate?

  /// The parsed payload of a push to an activity; nil if it is neither an update nor an end.
  mutating func read(_ request: HTTPRequest, app: Int, for decoders: [ContentDecoder?]) -> ParsedActivityUpdate? {
    if let known = self.request, app == self.app, known.hasSameBody(as: request) { return activity }
    self.request = request
    self.app = app
    activity = ParsedActivityUpdate.read(request, for: decoders)
    return activity
  }
}
