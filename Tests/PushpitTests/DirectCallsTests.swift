import Synchronization
import Testing
import Transport
import WireFormats

@testable import Pushpit

@Suite("Calls of the admin API without a socket", .timeLimit(.minutes(5)))
struct DirectCallsTests {
  private typealias End = Result<HTTPResponse, DirectCalls.Failure>

  private let calls = DirectCalls()

  /// The ends of calls to a server that reads none of them.
  private func begin(_ list: AdminCall...) -> AsyncStream<End> {
    let (ends, ended) = AsyncStream.makeStream(of: End.self)
    for call in list { calls.begin(call, for: WaitingClient()) { ended.yield($0) } }
    return ends
  }

  private func first(of ends: AsyncStream<End>) async -> End? { await ends.first { _ in true } }

  @Test("a call that is not answered in its time ends, and others stay open")
  func late() async {
    let patient = WaitingClient()
    let hasEnded = Atomic(false)
    calls.begin(AdminCall("GET", "/version", timeout: .seconds(3600)), for: patient) { _ in
      hasEnded.store(true, ordering: .relaxed)
    }
    let end = await first(of: begin(AdminCall("GET", "/version", timeout: .zero)))
    #expect(throws: DirectCalls.Failure.timedOut) { try end?.get() }
    #expect(!hasEnded.load(ordering: .relaxed) && !patient.isGone)
  }

  @Test("open calls end with their server in the order of their beginning, and later calls fail at once")
  func closed() async {
    let order = Mutex<[Int]>([])
    let clients = (0..<20).map { _ in WaitingClient() }
    for (number, client) in clients.enumerated() {
      calls.begin(AdminCall("GET", "/version", timeout: .seconds(3600)), for: client) { _ in
        order.withLock { $0.append(number) }
      }
    }
    clients[3].leave()
    calls.close()
    #expect(order.withLock { $0 } == (0..<20).filter { $0 != 3 })
    #expect(clients.allSatisfy { $0.isGone }, "what is done for them ends")
    let end = await first(of: begin(AdminCall("GET", "/version", timeout: .seconds(3600))))
    #expect(throws: DirectCalls.Failure.stopped) { try end?.get() }
  }

  @Test("a request that is too long is refused as over HTTP")
  func long() async throws {
    let body = begin(
      AdminCall("POST", "/v1/verify", body: [UInt8](repeating: 0x20, count: 1 << 20 + 1), timeout: .zero))
    #expect(try await first(of: body)?.get().status == 413)
    let head = begin(AdminCall("GET", "/" + String(repeating: "a", count: 1 << 14), timeout: .zero))
    #expect(try await first(of: head)?.get().status == 400)
  }
}
