import APNs
import Timeline

/// The backend under test, as a scenario names it under `backend:`.
package struct BackendPlan: Hashable, Sendable {
  /// Program and arguments; empty where it runs already.
  package var command: [String] = []
  /// Where it is started.
  package var directory: String
  /// Where apps report; `{{port}}` stands for a free port.
  package var url: String?
  /// Path or URL that answers with 2xx once it can be called.
  package var ready: String?
  /// Path or URL that is told the world's time after each step.
  package var tick: String?
  /// How far the world moves between two ticks. Documented: a woken app runs for 30 s, so that a longer step would end
  /// it before its calls are answered.
  package var step: Duration = .seconds(15)
  /// Provider tokens are judged by the world's clock instead of the machine's.
  package var stampsByWorld = false
  /// Until it is ready, by the machine's clock.
  package var patience: Duration = .seconds(30)
  /// Until it has answered a tick, by the machine's clock.
  package var answersWithin: Duration = .seconds(60)
  /// Between the signal to end and the one that ends it.
  package var grace: Duration = .seconds(5)

  package init(directory: String) { self.directory = directory }

  static let longestStep: Duration = .seconds(25)

  package var needsPort: Bool { ([url, ready, tick].compactMap(\.self) + command).contains { $0.contains(Self.port) } }

  /// The same with a port in place of `{{port}}`.
  package func on(port: Int) -> BackendPlan {
    func filled(_ text: String) -> String {
      var rest = text[...]
      var result = ""
      while let range = rest.firstRange(of: Self.port) {
        result += rest[..<range.lowerBound] + String(port)
        rest = rest[range.upperBound...]
      }
      return result + rest
    }
    var plan = self
    plan.command = command.map(filled)
    plan.url = url.map(filled)
    plan.ready = ready.map(filled)
    plan.tick = tick.map(filled)
    return plan
  }

  /// A path of the backend, or a URL of its own.
  package func address(_ text: String) -> String {
    guard text.hasPrefix("/"), let url else { return text }
    return (url.hasSuffix("/") ? String(url.dropLast()) : url) + text
  }

  private static let port = "{{port}}"
}
