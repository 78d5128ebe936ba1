import Pushpit
import Transport
import WireFormats

extension Pushpit {
  /// The answer of APNs to a push.
  public struct Answer: Sendable, Hashable {
    public let status: Int
    public let apnsID: String
    public let reason: String?
  }

  /// Details of a push that tests send themselves.
  public struct SendOptions: Sendable {
    /// Bundle id; nil for the app that tests are about.
    public var app: String?
    public var pushType = "alert"
    /// Nil for the bundle id with the suffix of the push type.
    public var topic: String?
    public var priority: Int?
    /// Seconds since 1970, or 0.
    public var expiration: Int?
    public var collapseID: String?
    /// The apns-id; nil for one that the server makes.
    public var id: String?
    /// True if the push goes to production instead of the sandbox.
    public var production = false
    public var timeout: Duration = .seconds(30)

    public init() {}
  }

  enum Recipient {
    /// A phone by its id; the token that fits the push type is looked up.
    case device(String)
    case token(String)
  }

  /// Sends a push to a token, in place of your backend.
  @discardableResult
  public func send(
    _ payload: JSON, toToken token: String, _ change: (inout SendOptions) -> Void = { _ in }
  ) async throws -> Answer {
    var options = SendOptions()
    change(&options)
    return try await send(payload, to: .token(token), options)
  }

  func send(_ payload: JSON, to recipient: Recipient, _ options: SendOptions) async throws -> Answer {
    var push = ProviderPush(payload: Array(payload.description.utf8))
    push.pushType = options.pushType
    push.app = options.app
    push.topic = options.topic
    push.priority = options.priority.map { "\($0)" }
    push.expiration = options.expiration.map { "\($0)" }
    push.collapseID = options.collapseID
    push.id = options.id
    let (token, app) = try await address(push, recipient)
    let key = try key
    var call = WebCall("POST", (options.production ? production : apns) + "/3/device/\(token)", version: .http2)
    call.body = push.payload
    call.authority = .file(ca)
    call.timeout = options.timeout
    let reply = await BlockingCall.run { [call, push] in
      Result<WebCall.Reply, any Error> {
        var call = call
        let provider = try ProviderSigner(p8: key.p8, keyID: key.keyID, teamID: key.teamID).token()
        call.headers = push.headers(for: app, provider: provider)
        return try call.perform()
      }
    }
    switch reply {
    case .success(let reply): return Answer(reply)
    case .failure(let failure as WebCall.Failure) where failure.kind == .timedOut:
      throw PushpitError(.send, "The push was not answered within \(options.timeout.seconds) s.")
    case .failure(let failure): throw PushpitError(.send, "The push was not answered: \(failure).")
    }
  }

  private func address(
    _ push: ProviderPush, _ recipient: Recipient
  ) async throws -> (token: String, app: String) {
    switch recipient {
    case .token(let token): return (token, push.appOfToken)
    case .device(let device):
      do {
        return try push.address(on: device, try await phone(device).state().value)
      } catch let failure as StartFailure {
        throw PushpitError(.send, failure.description)
      } catch let error as PushpitError where error.kind == .notFound {
        throw PushpitError(.send, error.sentence)
      }
    }
  }
}

extension Pushpit.Phone {
  /// Sends a push with this payload to the phone, in place of your backend.
  @discardableResult
  public func send(
    _ payload: JSON, _ change: (inout Pushpit.SendOptions) -> Void = { _ in }
  ) async throws -> Pushpit.Answer {
    var options = Pushpit.SendOptions()
    options.app = givenApp
    change(&options)
    return try await pushpit.send(payload, to: .device(device), options)
  }

  /// Sends an alert with this text to the phone, in place of your backend.
  @discardableResult
  public func send(
    _ alert: String, _ change: (inout Pushpit.SendOptions) -> Void = { _ in }
  ) async throws -> Pushpit.Answer {
    try await send(["aps": ["alert": JSON(alert)]], change)
  }
}

extension Pushpit.Answer {
  fileprivate init(_ reply: WebCall.Reply) {
    let body = try? JSONValue.parse(reply.body)
    self.init(status: reply.status, apnsID: reply["apns-id"] ?? "", reason: body?["reason"]?.string)
  }
}
