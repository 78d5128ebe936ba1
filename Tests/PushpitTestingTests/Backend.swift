import Foundation
import Signing
import Transport
import WireFormats

/// The backend that the guide's tests are about.
struct Backend {
  private let apns: String
  private let authority: String
  private let token: String

  init(apns: String, trusting authority: String, p8: String, keyID: String, teamID: String) throws {
    self.apns = apns
    self.authority = authority
    let key = try SigningKey(p8: String(contentsOfFile: p8, encoding: .utf8), from: p8)
    token = try ProviderJWT.make(
      key: key, keyID: keyID, teamID: teamID, issuedAt: Int64(Date().timeIntervalSince1970))
  }

  /// Sends an alert, at most three times while APNs is busy.
  func send(_ text: String, to deviceToken: String) async throws {
    for _ in 1...3 {
      var call = WebCall("POST", "\(apns)/3/device/\(deviceToken)", version: .http2)
      call.headers = [("authorization", "bearer \(token)"), ("apns-topic", "com.example.app")]
      call.body = Array(#"{"aps":{"alert":"\#(text)"}}"#.utf8)
      call.authority = .file(authority)
      call.timeout = .seconds(600)
      if try call.perform().status != 429 { return }
    }
  }
}
