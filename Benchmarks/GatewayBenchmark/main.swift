import APNs
import Devices
import Foundation
import HTTP2
import Simulation
import Synchronization
import Timeline
import Transport
import WireFormats

/// The scaling of pushes over loops without sockets, TLS and HTTP/2: examination, world, readers and responses, from as
/// many threads as a server would have loops. For comparison, the same run measures threads that each have a separate
/// gateway and world, which no lock can beat, and threads that only compute.
let asked = number(1, "PUSHES", 60_000, 1000...1_000_000)
/// Pushes that one read of a connection brings: with 100 streams in flight about half of them, as counted at 1 to 64
/// connections of h2load; with 10 streams all of them.
let batch = number(2, "BATCH", 50, 1...1000)
/// Each gets one push that does not count, and then an equal share of those that do.
let phones = min(10_000, asked)
let pushes = asked / phones * phones
/// The further work of a server's loop for each push, outside every lock, as a multiple of the time that the push takes
/// here. TLS and HTTP/2 are 2.4 times, as counted by `instructions.py` (32,200 of 45,500 instructions).
let other = decimal(3, "OTHER", 0, 0...100)
let rounds = 5

func number(_ place: Int, _ name: String, _ usual: Int, _ range: ClosedRange<Int>) -> Int {
  argument(place, name, usual, range) { Int($0) }
}

func decimal(_ place: Int, _ name: String, _ usual: Double, _ range: ClosedRange<Double>) -> Double {
  argument(place, name, usual, range) { Double($0) }
}

func argument<Value: Comparable>(
  _ place: Int, _ name: String, _ usual: Value, _ range: ClosedRange<Value>, _ read: (String) -> Value?
) -> Value {
  guard CommandLine.arguments.count > place else { return usual }
  let word = CommandLine.arguments[place]
  guard let value = read(word), range.contains(value) else {
    print(
      "GatewayBenchmark [PUSHES] [BATCH] [OTHER]: \(name) is \(word), not a number from \(range.lowerBound) to"
        + " \(range.upperBound)")
    exit(64)
  }
  return value
}
let loops = [1, 2, 4, 8]

func threadNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

struct Cost {
  /// Seconds from the start of the first thread to the end of the last.
  let elapsed: Double
  /// Seconds of processor time of all threads.
  let processor: Double
}

/// Runs the work on this many threads, each with its number. The measurement begins when all threads have called the
/// closure that they are given.
func cost(_ threads: Int, _ work: @escaping @Sendable (Int, () -> Void) -> Void) -> Cost {
  let (ready, begin, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  let processor = Atomic<UInt64>(0)
  for number in 0..<threads {
    Thread.detachNewThread {
      var before: UInt64 = 0
      work(number) {
        ready.signal()
        begin.wait()
        before = threadNanoseconds()
      }
      processor.add(threadNanoseconds() - before, ordering: .relaxed)
      done.signal()
    }
  }
  for _ in 0..<threads { ready.wait() }
  let start = ContinuousClock.now
  for _ in 0..<threads { begin.signal() }
  for _ in 0..<threads { done.wait() }
  return Cost(
    elapsed: start.duration(to: .now) / .seconds(1), processor: Double(processor.load(ordering: .relaxed)) / 1e9)
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func percent(_ share: Double) -> String { "\((share * 1000).rounded() / 10) %" }

/// Work in which threads share nothing.
@inline(never)
func compute(_ steps: Int) -> UInt64 {
  var state: UInt64 = 1
  for _ in 0..<steps { state = (state << 5 | state >> 59) &* 0x9E37_79B9_7F4A_7C15 &+ 1 }
  return state
}

/// The cost of one kind of work in each round, by the number of threads.
struct Series {
  private var costs: [Int: [Cost]] = [:]

  mutating func note(_ cost: Cost, of threads: Int) { costs[threads, default: []].append(cost) }

  func rate(_ threads: Int) -> Double { Double(pushes) / median((costs[threads] ?? []).map(\.elapsed)) }

  /// The rate, as a multiple of that of one thread.
  func gain(_ threads: Int) -> Double {
    median(zip(costs[threads] ?? [], costs[1] ?? []).map { $1.elapsed / $0.elapsed })
  }

  /// The processor time, as a multiple of that of one thread.
  func expense(_ threads: Int) -> Double {
    median(zip(costs[threads] ?? [], costs[1] ?? []).map { $0.processor / $1.processor })
  }
}

/// Steps of `compute` that take as long as the other work of one push; measured in this run, on one thread.
func stepsOfOtherWork() -> Int {
  guard other > 0 else { return 0 }
  let steps = 400_000_000
  let computing = cost(1) { _, wait in
    wait()
    if compute(steps) == 0 { print("never") }
  }
  // The first of them is a warm-up.
  let serving = (0..<4).map { _ in
    let load = Load(pushes: pushes, phones: phones, threads: 1, batch: batch)
    return cost(1) { load.send(from: $0, others: 0, $1) }.elapsed
  }.dropFirst()
  return Int(
    other * median(Array(serving)) / Double(pushes) * Double(steps)
      / computing.elapsed)
}

let others = stepsOfOtherWork()
var (served, apart, computed) = (Series(), Series(), Series())
var isAnswered = true
/// By number of threads and round: the share of their time for which threads with one gateway waited for its lock.
var waits: [Int: [Double]] = [:]
for round in 0...rounds {
  // The first round is a warm-up. The order changes from round to round, so that no count always comes first.
  for threads in round.isMultiple(of: 2) ? loops : loops.reversed() {
    let load = Load(pushes: pushes, phones: phones, threads: threads, batch: batch)
    let time = cost(threads) { load.send(from: $0, others: others, $1) }
    isAnswered = isAnswered && load.isAnswered
    let own = (0..<threads).map { _ in
      Load(pushes: pushes / threads, phones: phones / threads, threads: 1, batch: batch)
    }
    let ownTime = cost(threads) { own[$0].send(from: 0, others: others, $1) }
    isAnswered = isAnswered && own.allSatisfy(\.isAnswered)
    let control = cost(threads) { _, wait in
      wait()
      if compute(pushes / threads * (4000 + others)) == 0 { print("never") }
    }
    if round > 0 {
      served.note(time, of: threads)
      waits[threads, default: []].append(load.waited / (time.elapsed * Double(threads)))
      apart.note(ownTime, of: threads)
      computed.note(control, of: threads)
    }
  }
}

print(
  "\(ProcessInfo.processInfo.activeProcessorCount) processors; \(pushes) pushes in batches of \(batch), \(rounds) rounds, other work"
    + " \(other) times a push"
)
for threads in loops {
  func times(_ factor: Double) -> String { "\((factor * 100).rounded() / 100)" }
  let (own, best, control) = (served.gain(threads), apart.gain(threads), computed.gain(threads))
  print(
    "\(threads) loops: \(Int(served.rate(threads))) pushes a second, \(times(own)) times one; a gateway each"
      + " \(times(best)), compute loops \(times(control)); \(percent(own / best)) and \(percent(own / control)) of that;"
      + " processor time a push \(times(served.expense(threads))), \(times(apart.expense(threads))) and"
      + " \(times(computed.expense(threads))) times one; waiting for the lock \(percent(median(waits[threads] ?? [])))"
      + " of the time"
  )
}
if !isAnswered {
  print("not every push was answered with 200: this was no measurement")
  exit(1)
}
