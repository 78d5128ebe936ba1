import Glibc
import Synchronization
import Testing
import Transport

@Suite("The main loop", .timeLimit(.minutes(15))) struct MainLoopTests {
  @Test("Jobs from other threads run on it, in order") func jobs() {
    let main = MainLoop()
    let seen = Mutex<[Int]>([])
    let poster = main.poster
    // A closure that travels cannot hold the loop; the last job is seen by a timer of the loop.
    let thread = LoopThread {
      for number in 0..<1000 { poster.post { seen.withLock { $0.append(number) } } }
    }
    main.every(.milliseconds(1)) { if seen.withLock({ $0.count }) == 1000 { main.stop() } }
    main.run()
    thread?.join()
    #expect(seen.withLock { $0 } == Array(0..<1000))
  }

  /// Jobs of which each posts the next one.
  private final class Chain: Sendable {
    static let length = 100_000

    private let poster: MainLoopPoster
    let done = Atomic(0)

    init(_ poster: MainLoopPoster) { self.poster = poster }

    func next() {
      if done.add(1, ordering: .relaxed).newValue < Self.length { poster.post { self.next() } }
    }
  }

  @Test("A timer fires on time while jobs are posted without a pause") func crowded() {
    let main = MainLoop()
    let chain = Chain(main.poster)
    main.after(.milliseconds(1)) { main.stop() }
    chain.next()
    main.run()
    #expect(chain.done.load(ordering: .relaxed) < Chain.length)
  }

  @Test("Timers fire in the order they are due; a cancelled one does not") func timers() {
    let main = MainLoop()
    var fired: [String] = []
    // In one turn of the loop, so that all of them count from the same moment.
    main.after(.zero) {
      main.after(.milliseconds(30)) {
        fired.append("last")
        main.stop()
      }
      main.after(.milliseconds(1)) { fired.append("first") }
      let cancelled = main.after(.milliseconds(5)) { fired.append("never") }
      cancelled.cancel()
    }
    main.run()
    #expect(fired == ["first", "last"])
  }

  @Test("A repeating timer repeats until it is cancelled, also by itself") func repeating() {
    let main = MainLoop()
    var count = 0
    var timer: LoopTimer?
    timer = main.every(.milliseconds(1)) {
      count += 1
      if count == 3 {
        timer?.cancel()
        main.after(.milliseconds(10)) { main.stop() }
      }
    }
    main.run()
    #expect(count == 3)
  }

  @Test("A signal is a call on the loop, each time") func signals() {
    let main = MainLoop()
    var count = 0
    main.onSignal(SIGUSR1) {
      count += 1
      if count == 2 { main.stop() } else { signalThisThread() }
    }
    main.after(.zero) { signalThisThread() }
    main.run()
    #expect(count == 2)
  }

  /// Any other thread that is in a system call, Foundation's readers among them, would be interrupted. Workers of
  /// Dispatch block signals.
  private func signalThisThread() {
    var set = sigset_t()
    var before = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGUSR1)
    pthread_sigmask(SIG_UNBLOCK, &set, &before)
    raise(SIGUSR1)
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  @Test("A message to an ended loop is refused") func gone() {
    var main: MainLoop? = MainLoop()
    let poster = main?.poster
    #expect(poster?.post {} == true)
    main = nil
    #expect(poster?.post {} == false)
  }
}
