import APNs
import Timeline

/// The backend under test: `backend:` of a scenario.
package struct BackendPlan: Hashable, Sendable {
  /// Program and arguments; empty if it is already running.
  package var command: [String] = []
  /// The working directory of the backend.
  package var directory: String
  /// URL for app reports; `{{port}}` stands for a free port.
  package var url: String?
  /// Path or URL that answers 2xx when the backend is ready.
  package var ready: String?
  /// Path or URL that receives the world's time after each step.
  package var tick: String?
  /// Path or URL that makes the backend forget everything, for the next play.
  package var reset: String?
  /// The time by which the world moves between two ticks. Documented: a woken app runs for 30 s, so a longer step would
  /// end it before its calls are answered.
  package var step: Duration = .seconds(15)
  /// True if provider tokens are checked against the world's clock instead of the machine's.
  package var stampsByWorld = false
  /// Timeout for becoming ready, by the machine's clock.
  package var patience: Duration = .seconds(30)
  /// Timeout for answering a tick, by the machine's clock.
  package var answersWithin: Duration = .seconds(60)
  /// Time from the signal to terminate until it is killed.
  package var grace: Duration = .seconds(5)

  /// True if it keeps its data when it is stopped or killed, so that it knows everything after a start.
  package var persists = false

  package init(directory: String) { self.directory = directory }

  static let longestStep: Duration = .seconds(25)

  package var needsPort: Bool {
    ([url, ready, tick, reset].compactMap(\.self) + command).contains { $0.contains(Self.port) }
  }

  /// Returns this plan with a port in place of `{{port}}`.
  package func on(port: Int) -> BackendPlan {
    func filled(_ text: String) -> String { Self.filled(text, port: port) }
    var plan = self
    plan.command = command.map(filled)
    plan.url = url.map(filled)
    plan.ready = ready.map(filled)
    plan.tick = tick.map(filled)
    plan.reset = reset.map(filled)
    return plan
  }

  /// Returns a text with a port in place of `{{port}}`.
  static func filled(_ text: String, port: Int) -> String {
    var rest = text[...]
    var result = ""
    while let range = rest.firstRange(of: Self.port) {
      result += rest[..<range.lowerBound] + String(port)
      rest = rest[range.upperBound...]
    }
    return result + rest
  }

  /// A path of the backend, or a complete URL.
  package func address(_ text: String) -> String {
    guard text.hasPrefix("/"), let url else { return text }
    return (url.hasSuffix("/") ? String(url.dropLast()) : url) + text
  }

  private static let port = "{{port}}"
}
