import APNs
import Devices
import Timeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Seconds that a thousand phones may take for a whole match.
let limit = 2.0
/// Number of phones that watch the match; a profiler may need another one.
let devices = CommandLine.arguments.dropFirst(2).first.flatMap { UInt32($0) } ?? 1000

func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }

func rounded(_ number: Double, _ digits: Double) -> Double { (number * digits).rounded() / digits }

func judge(_ bytes: Int, _ limit: Int) {
  print("\(bytes) bytes a device; limit \(limit): \(bytes <= limit ? "kept" : "BROKEN")")
  if bytes > limit { exit(1) }
}

/// A process makes a single measurement, because memory that it leaves behind would be counted for the next.
switch CommandLine.arguments.dropFirst().first {
case "untouched": judge(Memory.perPhone(activities: nil), 8)
case "touched": judge(Memory.perPhone(activities: 0), 160)
case "one": judge(Memory.perPhone(activities: 1), 320)
case "five": judge(Memory.perPhone(activities: 5), 800)
case "match", nil:
  var isKept = true
  for (name, every, mix) in [
    ("ideal phones, every fifth update of priority 10", 5, PhoneMix.ideal),
    ("ideal phones, all of priority 10", 1, .ideal),
    ("the default mix, every fifth update of priority 10", 5, PhoneMix()),
  ] {
    var match = Match(devices: devices, immediateEvery: every, phones: mix)
    let spent = seconds(match.play())
    isKept = isKept && spent < limit
    print(
      "\(devices) phones, nine hours, \(name): \(rounded(spent, 100)) s, \(match.pushes) pushes, \(match.events) events, "
        + "\(Int(Double(match.events) / spent)) events a second, \(match.shown) screens empty at the end")
  }
  print("limit \(limit) s each: \(isKept ? "kept" : "BROKEN")")
  exit(isKept ? 0 : 1)
case let other?:
  print("There is no measurement \(other): match, untouched, touched, one or five.")
  exit(2)
}
