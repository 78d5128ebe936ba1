extension Pushpit {
  /// The phone of the running test, which no other test has.
  public static func phone() async throws -> Phone { try await session().phone }

  /// The session of the running test: its pushes, faults and phone.
  public static func session() async throws -> Session { try await scope("session").session() }

  /// The server of the running test.
  public static func server() async throws -> Pushpit { try await scope("server").server() }

  private static func scope(_ name: String) throws(PushpitError) -> TestScope {
    if let scope = TestScope.current { return scope }
    throw PushpitError(
      .misuse,
      "Pushpit.\(name)() is for tests with the trait: write @Suite(.pushpit()) or @Test(.pushpit()). A detached task"
        + " or a thread does not know its test: ask for the phone before, and pass it on.")
  }
}
