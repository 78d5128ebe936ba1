import Reporting
import Simulation
import Transport
import WireFormats

/// The commands in events for the caller of apps' backends.
struct CallCommands {
  private(set) var started: [AppCall] = []
  /// Calls whose app no longer waits.
  private(set) var cancelled: [UInt64] = []

  init() {}

  init(_ events: [WorldEvent]) { for event in events { append(event) } }

  var isEmpty: Bool { started.isEmpty && cancelled.isEmpty }

  mutating func append(_ event: WorldEvent) {
    switch event {
    case .call(let record):
      started.append(
        AppCall(
          number: record.number, method: record.call.method, url: record.call.url,
          headers: record.call.headers.map { ($0.name, $0.value) }, body: record.call.body.map { Array($0.utf8) },
          timeout: record.call.timeout))
    case .callEnded(let end):
      guard case .failed(.aborted, _) = end.outcome else { return }
      // A call that began in the same batch must not be sent.
      if let place = started.firstIndex(where: { $0.number == end.number }) {
        started.remove(at: place)
      } else {
        cancelled.append(end.number)
      }
    default: break
    }
  }
}

extension CallOutcome {
  /// Translates the network's result of a call.
  init(_ result: Result<AppCall.Response, AppCall.Failure>) {
    switch result {
    case .success(let answer):
      self = .answered(status: answer.status, body: answer.body.isEmpty ? nil : try? JSONValue.parse(answer.body))
    case .failure(let failure):
      let kind: Failure =
        switch failure.kind {
        case .refused, .unknownHost, .tls: .cannotConnect
        case .timedOut: .timedOut
        case .closedHalfWay: .closed
        case .notHTTP: .notHTTP
        case .tooLarge: .tooLarge
        case .queueFull: .queueFull
        case .hostNotAllowed: .hostNotAllowed
        case .cancelled: .aborted
        case .malformed, .other: .other
        }
      let advice = kind == .hostNotAllowed ? " (the setting reports.allowHosts lists the allowed hosts)" : ""
      self = .failed(kind, failure.description + advice)
    }
  }
}
