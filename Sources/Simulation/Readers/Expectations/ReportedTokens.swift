import APNs
import Devices
import Reporting
import Timeline
import WireFormats

/// Which tokens apps have reported to their backends, found in their calls: a reader of events.
///
/// A token is found anywhere in a URL or a body as hexadecimal, or as a complete string of a body in base64. Its owner
/// is resolved when the expectation is evaluated.
package struct ReportedTokens: Sendable {
  struct AppOnDevice: Hashable, Sendable {
    let device: DeviceID
    let app: Int
  }

  struct Report: Sendable {
    let token: DeviceToken
    let end: CallEnd
    var isTaken: Bool { end.outcome.isSuccess }
  }

  /// Maximum number of calls with tokens kept per install; the newest count.
  private static let most = 32
  /// The shortest of Apple's tokens has 32 bytes.
  private static let shortest = 32

  /// Oldest first.
  private(set) var installs: [AppOnDevice: [Report]] = [:]

  mutating func read(_ event: WorldEvent) {
    guard case .callEnded(let end) = event else { return }
    let tokens = Self.tokens(in: end)
    guard !tokens.isEmpty else { return }
    var list = installs[AppOnDevice(device: end.device, app: end.app)] ?? []
    for token in tokens {
      list.removeAll { $0.token == token && $0.isTaken == end.outcome.isSuccess }
      list.append(Report(token: token, end: end))
    }
    if list.count > Self.most { list.removeFirst(list.count - Self.most) }
    installs[AppOnDevice(device: end.device, app: end.app)] = list
  }

  /// The tokens in a call.
  package static func tokens(in end: CallEnd) -> [DeviceToken] {
    var found: [DeviceToken] = []
    for text in [end.url, end.body].compactMap(\.self) {
      for run in text.utf8.split(whereSeparator: { !isHex($0) }) where run.count >= 2 * shortest {
        if let token = DeviceToken(String(decoding: run, as: UTF8.self)) { found.append(token) }
      }
    }
    for part in end.body?.utf8.split(separator: UInt8(ascii: "\"")) ?? []
    where part.count > shortest && part.count <= 2 * DeviceToken.longest && !part.allSatisfy(isHex) {
      let letters = part.filter { $0 != UInt8(ascii: "=") }.map { byte -> UInt8 in
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: byte
        }
      }
      guard let bytes = Base64URL.decode(letters), bytes.count >= shortest, bytes.count <= DeviceToken.longest
      else { continue }
      found.append(DeviceToken(bytes: bytes))
    }
    return found
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
