import APNs
import Devices
import Foundation
import HTTP2
import Simulation
import Timeline
import Transport
import WireFormats

/// How pushes scale over loops with sockets, TLS and HTTP/2 left out: examination, world, readers and responses, from as
/// many threads as a server would have loops. Beside it, in the same run, threads each with a gateway and a world of its
/// own, which no lock can better, and threads that only compute.
let pushes: Int = {
  guard let word = CommandLine.arguments.dropFirst().first else { return 60_000 }
  guard let count = Int(word), (1000...1_000_000).contains(count) else {
    print("GatewayBenchmark [PUSHES]: \(word) is not a number from 1000 to 1000000")
    exit(64)
  }
  return count
}()
let rounds = 5
let batch = 25
let loops = [1, 2, 4, 8]

/// Seconds that the threads take together, each with its number.
func seconds(_ threads: Int, _ work: @escaping @Sendable (Int) -> Void) -> Double {
  let (begin, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  for number in 0..<threads {
    Thread.detachNewThread {
      begin.wait()
      work(number)
      done.signal()
    }
  }
  let start = ContinuousClock.now
  for _ in 0..<threads { begin.signal() }
  for _ in 0..<threads { done.wait() }
  return start.duration(to: .now) / .seconds(1)
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func percent(_ share: Double) -> String { "\((share * 1000).rounded() / 10) %" }

/// Work of as many parts as there are pushes, of which threads share nothing.
func compute(_ parts: Int) -> UInt64 {
  var state: UInt64 = 1
  for _ in 0..<parts * 4000 { state = (state << 5 | state >> 59) &* 0x9E37_79B9_7F4A_7C15 &+ 1 }
  return state
}

var (served, apart, computed) = ([Int: [Double]](), [Int: [Double]](), [Int: [Double]]())
var isAnswered = true
for round in 0...rounds {
  // The first round warms up. The order changes from round to round, so that no count always comes first.
  for threads in round.isMultiple(of: 2) ? loops : loops.reversed() {
    let load = Load(pushes: pushes, threads: threads, batch: batch)
    let time = seconds(threads) { load.send(from: $0) }
    isAnswered = isAnswered && load.isAnswered
    let own = (0..<threads).map { _ in Load(pushes: pushes / threads, threads: 1, batch: batch) }
    let ownTime = seconds(threads) { own[$0].send(from: 0) }
    isAnswered = isAnswered && own.allSatisfy(\.isAnswered)
    let control = seconds(threads) { _ in if compute(pushes / threads) == 0 { print("never") } }
    if round > 0 {
      served[threads, default: []].append(Double(pushes) / time)
      apart[threads, default: []].append(Double(pushes) / ownTime)
      computed[threads, default: []].append(Double(pushes) / control)
    }
  }
}

print(
  "\(ProcessInfo.processInfo.activeProcessorCount) processors; \(pushes) pushes in batches of \(batch), \(rounds) rounds"
)
for threads in loops {
  func gain(_ rates: [Int: [Double]]) -> Double {
    median(zip(rates[threads] ?? [], rates[1] ?? []).map { $0 / $1 })
  }
  func times(_ gain: Double) -> String { "\((gain * 100).rounded() / 100)" }
  let (own, best, control) = (gain(served), gain(apart), gain(computed))
  print(
    "\(threads) loops: \(Int(median(served[threads] ?? [0]))) pushes a second, \(times(own)) times one; a gateway each"
      + " \(times(best)), compute loops \(times(control)); \(percent(own / best)) and \(percent(own / control)) of that"
  )
}
if !isAnswered {
  print("not every push was answered with 200: this was no measurement")
  exit(1)
}
