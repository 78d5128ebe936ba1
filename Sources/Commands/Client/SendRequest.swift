import Pushpit
import Transport
import WireFormats

/// One push sent by hand: `pushpit send`.
package struct SendRequest: Sendable {
  package var recipient: ProviderPush.Recipient
  package var push: ProviderPush
  package var keyID: String?

  package init(to recipient: ProviderPush.Recipient, payload: [UInt8]) {
    self.recipient = recipient
    push = ProviderPush(payload: payload)
  }

  package struct Outcome: Sendable {
    package let status: Int
    package let id: String
    /// The error body, if any.
    package let body: String
    /// The push's fate according to the admin API; nil if that cannot be reached.
    package let story: String?
  }

  package func send(to target: RunningServer) throws -> Outcome {
    let (token, app) = try address(target)
    let provider = try ProviderSigner(target.folder, keyID: keyID).token()
    do throws(WebCall.Failure) {
      let reply = try target.push("/3/device/\(token)", push.headers(for: app, provider: provider), push.payload)
      let id = reply["apns-id"] ?? ""
      return Outcome(
        status: reply.status, id: id, body: String(decoding: reply.body, as: UTF8.self), story: story(id, target))
    } catch {
      throw StartFailure("\(target.gateway) did not answer: \(error.description). For details, run `pushpit doctor`.")
    }
  }

  private func story(_ id: String, _ target: RunningServer) -> String? {
    guard let (status, push) = try? target.ask("/v1/pushes/\(id)"), status == 200 else { return nil }
    return push["why"]?["sentence"]?.string
  }

  /// The token to push to, and its app.
  private func address(_ target: RunningServer) throws -> (token: String, app: String) {
    switch recipient {
    case .token(let token): return (token, push.appOfToken)
    case .device(let device):
      let (status, view): (Int, JSONValue)
      do {
        (status, view) = try target.ask("/v1/devices/\(device)")
      } catch {
        throw StartFailure("\(target.admin) did not answer (\(error)): is `pushpit serve` running?\(target.whereFrom)")
      }
      guard status == 200 else { throw StartFailure(view["error"]?.string ?? "\(target.admin) answered \(status).") }
      return try push.address(on: device, view)
    }
  }
}
