/// The GOAWAYs that a caller has ordered: the last stream that is served after them, and the frames not yet sent.
struct OrderedGoAways {
  /// Nil before the first GOAWAY.
  private var lastServed: Int32?
  private var frames: [CustomFrame] = []

  var hasBegun: Bool { lastServed != nil }
  var hasUnsentFrames: Bool { !frames.isEmpty }

  @inline(__always)
  func serves(_ stream: Int32) -> Bool { lastServed.map { stream <= $0 } ?? true }

  /// A GOAWAY names a last stream. The number is sent as given, but the last served stream never rises.
  ///
  /// - Parameters:
  ///   - lastStream: nil for the last stream begun that is served.
  ///   - begun: the last stream begun.
  mutating func goAway(lastStream: Int32?, begun: Int32, _ code: ErrorCode, debug: ArraySlice<UInt8>) {
    let served = lastServed ?? .max
    let last = max(lastStream ?? min(begun, served), 0)
    frames.append(CustomFrame(goAway: last, code, debug))
    lastServed = min(served, last)
  }

  mutating func takeFrames() -> [CustomFrame] {
    defer { frames = [] }
    return frames
  }
}
