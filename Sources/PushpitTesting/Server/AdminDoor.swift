import Pushpit
import Transport
import WireFormats

/// A way to the admin API of a server: each call has one answer, or one failure.
protocol AdminDoor: Sendable {
  typealias End = @Sendable (Result<HTTPResponse, AdminDoorFailure>) -> Void

  /// Begins a call.
  ///
  /// - Parameters:
  ///   - client: leaves if the call is given up; then what waits for it at the server ends.
  ///   - end: called once, from any thread, unless the client leaves before.
  func begin(_ call: AdminCall, for client: WaitingClient, _ end: @escaping End)
}

enum AdminDoorFailure: Error, Equatable {
  /// The server in this process was stopped.
  case stopped
  case timedOut
  /// With the reason.
  case unreachable(String)
}

/// The door of a server in this process: the call is passed to its loop, without a socket.
struct DirectDoor: AdminDoor {
  let calls: DirectCalls

  func begin(_ call: AdminCall, for client: WaitingClient, _ end: @escaping End) {
    calls.begin(call, for: client) { result in
      end(
        result.mapError { failure in
          switch failure {
          case .stopped: .stopped
          case .timedOut: .timedOut
          }
        })
    }
  }
}

/// The door of any other server.
struct HTTPDoor: AdminDoor {
  let url: String

  func begin(_ call: AdminCall, for client: WaitingClient, _ end: @escaping End) {
    let perform: @Sendable () -> Void = { end(result(of: call, for: client)) }
    // A thread of its own, because Swift's tasks share few.
    guard let thread = LoopThread(perform) else {
      // The system allows no more threads.
      return perform()
    }
    thread.detach()
  }

  private func result(of call: AdminCall, for client: WaitingClient) -> Result<HTTPResponse, AdminDoorFailure> {
    var request = WebCall(call.method, url + call.target, version: .http1)
    request.headers = call.headers
    request.body = call.body ?? []
    request.timeout = call.timeout
    request.client = client
    do {
      let reply = try request.perform()
      return .success(HTTPResponse(status: reply.status, fields: HTTPFields(reply.headers), body: reply.body))
    } catch {
      return .failure(error.kind == .timedOut ? .timedOut : .unreachable(error.description))
    }
  }
}
