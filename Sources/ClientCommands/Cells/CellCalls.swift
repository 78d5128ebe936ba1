import Dispatch
import Pushpit
import Synchronization
import Transport
import WireFormats

/// Requests to the admin APIs of all cells at once: a thread for each cell, kept until the end.
struct CellCalls {
  typealias Answer = Result<JSONValue, CommandFailure>

  /// The thread of a cell, with the request that it makes.
  private final class Caller: Sendable {
    private struct State {
      var order: AdminAPI.Order?
      var answer: Answer?
    }

    private let api: AdminAPI
    private let state = Mutex(State())
    private let asked = DispatchSemaphore(value: 0)
    private let answered = DispatchSemaphore(value: 0)

    init(_ api: AdminAPI) { self.api = api }

    /// - Parameter order: nil ends the thread.
    func ask(_ order: AdminAPI.Order?) {
      state.withLock { $0.order = order }
      asked.signal()
    }

    func answer() -> Answer? {
      answered.wait()
      return state.withLock { state in
        defer { state.answer = nil }
        return state.answer
      }
    }

    func run() {
      while true {
        asked.wait()
        guard let order = state.withLock({ $0.order }) else { return }
        let answer = Result { () throws(CommandFailure) in try api.perform(order).value }
        state.withLock { $0.answer = answer }
        answered.signal()
      }
    }
  }

  private let callers: [Caller]
  /// Nil where the system allows no more threads.
  private let threads: [LoopThread?]

  init(_ cells: [AdminAPI]) {
    callers = cells.map { Caller($0) }
    threads = callers.map { caller in LoopThread { caller.run() } }
  }

  /// Asks all cells at once, and waits for all answers.
  ///
  /// - Returns: the answers in the order of the cells.
  func ask(within timeout: Duration, _ order: (Int) -> AdminAPI.Order) -> [Answer] {
    for (place, caller) in callers.enumerated() where threads[place] != nil {
      var order = order(place)
      order.timeout = timeout
      caller.ask(order)
    }
    return callers.enumerated().map { place, caller in
      let answer = threads[place] == nil ? nil : caller.answer()
      return answer ?? .failure(CommandFailure("this machine allows no more threads."))
    }
  }

  /// Ends the threads; nothing can be asked afterwards.
  func end() {
    for caller in callers { caller.ask(nil) }
    for thread in threads { thread?.join() }
  }
}
