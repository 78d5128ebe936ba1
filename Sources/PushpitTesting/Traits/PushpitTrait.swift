import Synchronization
import Testing

/// Gives each test a separate virtual iPhone; see `.pushpit(fleet:app:os:settings:)`.
public struct PushpitTrait: SuiteTrait, TestTrait, TestScoping {
  let options: ServerOptions
  /// The criteria that the phone must meet.
  let wishes: [Pushpit.SessionOption]
  private let number: Int

  private static let numbers = Atomic<Int>(0)

  init(_ options: ServerOptions, wishes: [Pushpit.SessionOption]) {
    self.options = options
    self.wishes = wishes
    number = Self.numbers.add(1, ordering: .relaxed).newValue
  }

  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let innermost = test.traits.compactMap { $0 as? PushpitTrait }.last
    // A trait of a test replaces that of its suite.
    guard innermost?.number == number else { return try await function() }
    if let hunt = test.traits.compactMap({ $0 as? PushpitHuntTrait }).last {
      var hunt = try TestHunt(hunt, test, testCase: testCase) { scope(of: test, hunting: $0) }
      return try await hunt.run(with: try await SharedServers.server(options).api, performing: function)
    }
    try await scope(of: test).run(test, testCase: testCase, performing: function)
  }

  /// - Parameter faults: those of a variant, if the test is hunted.
  private func scope(of test: Test, hunting faults: [JSON]? = nil) -> TestScope {
    let own = test.traits.compactMap { $0 as? PushpitFaultTrait }
    let drawn = (faults ?? []).map {
      PushpitFaultTrait(order: Pushpit.FaultOrder(json: $0), sourceLocation: test.sourceLocation)
    }
    return TestScope(
      self, faults: own + drawn, expectations: test.traits.compactMap { $0 as? PushpitExpectationTrait },
      opensAtOnce: faults != nil)
  }
}

/// Sets a fault for the test's session: `.fault(.answer(.tooManyRequests), limit: 2)`.
public struct PushpitFaultTrait: SuiteTrait, TestTrait {
  let order: Pushpit.FaultOrder
  let sourceLocation: SourceLocation

  public var isRecursive: Bool { true }

  public func prepare(for test: Test) async throws { try PushpitError.checkTrait(of: test, ".fault") }
}

/// Says what must be true of the test's session in the end: `.expect(.pushes(.status(200)), count: 1)`.
public struct PushpitExpectationTrait: SuiteTrait, TestTrait {
  let order: Pushpit.Expectation
  let sourceLocation: SourceLocation

  public var isRecursive: Bool { true }

  public func prepare(for test: Test) async throws { try PushpitError.checkTrait(of: test, ".expect") }
}

extension Trait where Self == PushpitTrait {
  /// Gives each test a session with a separate phone: ``Pushpit/phone(sourceLocation:)``.
  ///
  /// All tests with the same `fleet` and `settings` share one server of this process. The first that needs it starts it
  /// on free ports, with phones that show every push at once. If a test and its suite have the trait, that of the test
  /// counts.
  ///
  /// - Parameters:
  ///   - fleet: the number of phones. Tests that find no free phone wait for one.
  ///   - app: bundle id of an app that the phone must have; it becomes the app that tests are about.
  ///   - os: the version of iOS that the phone must have, such as `26` or `18.2`.
  ///   - settings: YAML as in a settings file, such as `clock: manual`; `docs/settings.md` lists all settings.
  public static func pushpit(
    fleet: Int? = nil, app: String? = nil, os: String? = nil, settings: String = ""
  ) -> Self {
    let wishes = [app.map(Pushpit.SessionOption.app), os.map(Pushpit.SessionOption.os)].compactMap(\.self)
    return PushpitTrait(ServerOptions(fleet: fleet, settings: settings), wishes: wishes)
  }
}

extension PushpitError {
  /// Checks that a test has `.pushpit`, without which the other traits would have no effect.
  static func checkTrait(of test: Test, _ name: String) throws {
    guard !test.isSuite, !test.traits.contains(where: { $0 is PushpitTrait }) else { return }
    throw PushpitError(
      .misuse, "\(name) is for the phone of a test with the trait .pushpit: add it to the test or its suite.")
  }
}
