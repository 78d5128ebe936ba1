import Testing

@testable import PushpitTesting

/// The ways to the admin API of a server in the tests' process.
enum Door: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case direct = "without a socket"
  case http = "over HTTP"

  var testDescription: String { rawValue }

  /// A server of this process behind the door.
  func server(_ own: Pushpit) async throws -> Pushpit {
    switch self {
    case .direct: own
    case .http: try await Pushpit.connect(own.url)
    }
  }
}
