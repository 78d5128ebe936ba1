import APNs
import Devices
import HTTP2
import Simulation
import Timeline
import Transport
import WireFormats

/// A connection's own validation of its pushes, on its loop and without a lock.
///
/// The validator uses the rules and keys of a generation, and the state of the connection that the world returned after
/// the last request that changed it. Pushes with the last accepted provider token change nothing, nor do pushes of a
/// client with a certificate; the first other request, and all after it, wait for the world.
final class ConnectionValidator {
  private(set) var provider: ProviderConnection
  private var rules: PushRules
  private var latest = LatestPayload()

  /// The verdicts on the first requests of a batch.
  struct Checked {
    var list: [CheckedPush] = []
    /// The parsed payloads of Live Activity pushes.
    var activities: [ParsedActivityUpdate?] = []
    /// The machine's time.
    var at = Instant.distantPast
    /// The generation of the keys with which they were made.
    var generation: UInt64 = 0
  }

  /// - Parameter provider: the state of the connection when it opens.
  init(_ provider: ProviderConnection, _ rules: PushRules) {
    self.provider = provider
    self.rules = rules
  }

  /// The world has changed the connection's state, or checked a request by keys of a newer generation.
  func update(_ provider: ProviderConnection, _ rules: PushRules) {
    self.provider = provider
    self.rules = rules
  }

  /// Checks requests, up to the first that must wait for the world.
  ///
  /// - Parameter decoders: decoders of the content states of each app's activity types.
  func check(
    _ requests: [IncomingRequest], tokens: SealedTokens, decoders: [[ContentDecoder?]], at wall: Instant
  ) -> Checked {
    // Each access to a member of a class is checked, so it is read once.
    var (provider, latest) = (self.provider, self.latest)
    defer { (self.provider, self.latest) = (provider, latest) }
    let rules = rules
    var result = Checked(at: wall, generation: rules.generation)
    result.list.reserveCapacity(requests.count)
    result.activities.reserveCapacity(requests.count)
    for (index, request) in requests.enumerated() {
      guard let checked = rules.check(request.request, on: &provider, tokens, at: wall) else {
        rules.verifySignatures(of: requests[index...].lazy.map(\.request), on: provider, at: wall)
        break
      }
      if let address = checked.address, address.slot.isActivity, decoders.indices.contains(address.app) {
        result.activities.append(latest.read(request.request, app: address.app, for: decoders[address.app]))
      } else {
        result.activities.append(nil)
      }
      result.list.append(checked)
    }
    return result
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
