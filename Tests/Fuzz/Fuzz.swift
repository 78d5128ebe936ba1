import CFuzzer
import FuzzTargets
import Glibc

/// `FUZZ_TARGET=tape Fuzz [libFuzzer's arguments]`: feeds one target until the time is over or a rule is broken.
@main
enum Fuzz {
  /// Processor time that one input may take, in seconds. The longest in the corpus takes a hundredth of it.
  private static let limit = 10
  /// Set once, before the first input.
  nonisolated(unsafe) private static var target = FuzzTarget.session

  static func main() {
    // No argument, for libFuzzer starts itself again with those that it knows.
    guard let name = getenv("FUZZ_TARGET"), let target = FuzzTarget(rawValue: String(cString: name)) else {
      let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
      fatal("FUZZ_TARGET says what is fed: \(names).", code: 64)
    }
    self.target = target
    // A hang ends as a crash does, so that libFuzzer keeps the input.
    signal(SIGPROF) { _ in
      _ = write(2, "The processor time of one input is over.\n", 41)
      abort()
    }
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(
      LLVMFuzzerRunDriver(&count, &arguments) { data, size in
        Fuzz.feed(UnsafeBufferPointer(start: data, count: size))
        return 0
      })
  }

  private static func feed(_ bytes: UnsafeBufferPointer<UInt8>) {
    allow(seconds: limit)
    do throws(FuzzFinding) {
      try target.run(Array(bytes))
    } catch {
      fatal("\(target.rawValue): \(error)", code: nil)
    }
    allow(seconds: 0)
  }

  private static func allow(seconds: Int) {
    var timer = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: seconds, tv_usec: 0))
    setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
  }

  private static func fatal(_ sentence: String, code: Int32?) -> Never {
    let text = Array((sentence + "\n").utf8)
    _ = write(2, text, text.count)
    if let code { exit(code) }
    abort()
  }
}
