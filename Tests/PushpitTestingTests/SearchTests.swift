import PushpitTesting
import Testing

@Suite("The search for a free phone")
struct SearchTests {
  private func problem(_ phones: Int, _ words: [String: JSON] = [:], on server: Pushpit) async -> PushpitError? {
    do {
      _ = try await server.session(phones: phones, words)
      return nil
    } catch {
      return error as? PushpitError
    }
  }

  @Test("says which sessions have the phones, how many phones there are, and what none of them has")
  func sentences() async throws {
    let server = try await Pushpit.start(fleet: 2)
    let many = await problem(3, on: server)
    #expect(many?.kind == .noFreePhone)
    #expect(many?.sentence == "3 phones are wanted, and the fleet has 2 phones online.")
    let none = await problem(1, ["app": "com.example.none"], on: server)
    #expect(none?.sentence == "1 phone is wanted, and the fleet has 0 phones with app com.example.none online.")
    let left = try await server.session(["name": "left"])
    _ = try await server.session(["name": "right"])
    let taken = await problem(1, on: server)
    #expect(taken?.sentence.hasPrefix("No phone is free: of 2 phones online, not one is outside") == true)
    #expect(taken?.sentence.contains("(left, right)") == true, "\(taken?.sentence ?? "")")
    _ = try await left.close()
    _ = try await server.session(["name": "next"])
    await server.stop()
  }
}
