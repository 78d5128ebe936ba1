import PushpitTesting
import Testing

@Suite(.pushpit(fleet: 100))
struct BackendTests {
  /// Your backend, with Pushpit in place of Apple. `Backend` is your client of APNs.
  private func backend() async throws -> Backend {
    let pushpit = try await Pushpit.server()
    let key = try pushpit.key()
    return try Backend(apns: pushpit.apns(), trusting: pushpit.ca, p8: key.p8, keyID: key.keyID, teamID: key.teamID)
  }

  @Test(.fault(.answer(.tooManyRequests), limit: 2), .expect(.pushes(.status(200)), count: 1))
  func aBusyAPNsIsTriedAgain() async throws {
    let phone = try await Pushpit.phone()
    try await backend().send("Goal!", to: phone.token())
    try await phone.expect(.notification(.body("Goal!")))
  }

  @Test func aDeletedAppIsNoticed() async throws {
    let session = try await Pushpit.session()
    let token = try await session.phone().token()
    try await session.withFault(.answer(.unregistered, age: .seconds(3600))) { _ in
      try await backend().send("Goal!", to: token)
    }
    #expect(try await session.pushes().map(\.status) == [410])
  }
}
