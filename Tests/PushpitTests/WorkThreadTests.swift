import Synchronization
import Testing
import Transport

@testable import Pushpit

@Suite("The thread for files", .timeLimit(.minutes(15))) struct WorkThreadTests {
  /// A job that runs until it is told to end.
  private final class Gate: Sendable {
    private let begun = AsyncStream.makeStream(of: Void.self)
    private let isOpen = Mutex(false)

    func job() {
      begun.continuation.yield()
      while !isOpen.withLock({ $0 }) {}
    }

    func untilBegun() async { for await _ in begun.stream { return } }
    func open() { isOpen.withLock { $0 = true } }
  }

  private final class Counter: Sendable {
    private let number = Mutex(0)

    var counted: Int { number.withLock { $0 } }
    func count() { number.withLock { $0 += 1 } }
  }

  @Test("the thread for files does one job after another, in their order")
  func order() async {
    let files = WorkThread()
    let done = AsyncStream.makeStream(of: Int.self)
    for number in 0..<100 { #expect(files.run { done.continuation.yield(number) }) }
    var seen: [Int] = []
    for await number in done.stream {
      seen.append(number)
      if seen.count == 100 { break }
    }
    #expect(seen == Array(0..<100))
  }

  @Test("the thread for files keeps a limited number of jobs, and takes more once some are done")
  func limit() async {
    let (files, gate) = (WorkThread(), Gate())
    #expect(files.run { gate.job() })
    await gate.untilBegun()
    for _ in 0..<WorkThread.most { #expect(files.run {}) }
    #expect(!files.run {})
    gate.open()
    while !files.run({}) { await Task.yield() }
  }

  @Test("the thread for files finishes its job at the end, drops and reports the other jobs, and takes no more")
  func end() async {
    let (files, gate, main) = (WorkThread(), Gate(), MainLoop())
    let (done, dropped) = (Counter(), Counter())
    #expect(files.run { gate.job() })
    await gate.untilBegun()
    for _ in 0..<3 {
      #expect(
        files.run {
          done.count()
        } isDropped: {
          dropped.count()
        })
    }
    #expect(!files.isEnding)
    files.end()
    #expect(dropped.counted == 3)
    #expect(files.isEnding && !files.run {})
    #expect(files.ended.isEmpty, "a job is still running")
    gate.open()
    let reader = MailboxReader(files.ended, on: main.base) { main.stop() }
    withExtendedLifetime(reader) { main.run() }
    #expect(done.counted == 0 && dropped.counted == 3)
  }

  @Test("a thread for files without a job ends at once")
  func idle() {
    let (files, main) = (WorkThread(), MainLoop())
    files.end()
    let reader = MailboxReader(files.ended, on: main.base) { main.stop() }
    withExtendedLifetime(reader) { main.run() }
  }

  @Test("Seats are limited, and free again when they are released")
  func seats() {
    let seats = Seats(2)
    var taken = [seats.take(), seats.take()]
    #expect(taken.allSatisfy { $0 != nil } && seats.take() == nil)
    taken.removeLast()
    let again = seats.take()
    #expect(again != nil && seats.take() == nil)
  }
}
