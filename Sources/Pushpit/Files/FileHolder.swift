import Signing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The process that has locked a file.
package enum FileHolder: Hashable, Sendable {
  case thisProcess
  case process(Int32, name: String)

  /// Maximum number of bytes of the kernel's list that are read.
  private static let longestList = 1 << 20

  /// Finds the process in the kernel's list of locks (proc(5)). Nil if it is not listed: on another system, in another
  /// container, or on a file system whose numbers differ from those of its files.
  init?(of file: stat) {
    guard let list = try? KeyFile.read("/proc/locks", limit: Self.longestList) else { return nil }
    // Such as `2: FLOCK  ADVISORY  WRITE 708 fd:01:1234 0 EOF`; device in hex, file in decimal.
    let (major, minor) = (Self.hex(Self.major(file.st_dev)), Self.hex(Self.minor(file.st_dev)))
    let identity = "\(major):\(minor):\(file.st_ino)"
    var holder: Int32?
    for line in list.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 5, fields[1] == "FLOCK", fields[5] == identity else { continue }
      holder = Int32(fields[4])
      break
    }
    guard let number = holder, number > 0 else { return nil }
    if number == getpid() {
      self = .thisProcess
    } else {
      let name = (try? KeyFile.read("/proc/\(number)/comm"))?.filter { $0 != "\n" }
      self = .process(number, name: name ?? "unknown")
    }
  }

  // The parts of a device number, as in <sys/sysmacros.h>, whose macros are not visible here.
  private static func major(_ device: dev_t) -> UInt64 {
    let bits = UInt64(bitPattern: Int64(truncatingIfNeeded: device))
    return (bits >> 8) & 0xFFF | (bits >> 32) & ~0xFFF
  }

  private static func minor(_ device: dev_t) -> UInt64 {
    let bits = UInt64(bitPattern: Int64(truncatingIfNeeded: device))
    return bits & 0xFF | (bits >> 12) & 0xFFFF_FF00
  }

  private static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return digits.utf8.count < 2 ? "0" + digits : digits
  }
}
