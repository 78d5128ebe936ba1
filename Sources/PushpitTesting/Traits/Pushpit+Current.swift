import Testing

extension Pushpit {
  /// The phone of the running test, which no other test has.
  public static func phone(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Phone {
    try await at(sourceLocation) { try await scope("phone").session().phone() }
  }

  /// The session of the running test: its pushes, faults and phone.
  public static func session(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Session {
    try await at(sourceLocation) { try await scope("session").session() }
  }

  /// The server of the running test.
  public static func server(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Pushpit {
    try await at(sourceLocation) { try await scope("server").server() }
  }

  private static func scope(_ name: String) throws(PushpitError) -> TestScope {
    if let scope = TestScope.current { return scope }
    throw PushpitError(
      .misuse,
      "Pushpit.\(name)() is for tests with the trait: write @Suite(.pushpit()) or @Test(.pushpit()). A detached task"
        + " or a thread does not know its test: ask for the phone before, and pass it on.")
  }
}
