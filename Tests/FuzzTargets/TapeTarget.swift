import Orders
import Simulation
import Timeline

/// Tapes that say anything. Lengths and checksums are made good, for no damage would get past them.
struct TapeTarget {
  /// A tape that goes on for longer is played no further: long steps are legal, and take their time. Nor is one of a
  /// world that began earlier than the one it is played in.
  private static let longest = Duration.seconds(400 * 86_400)

  static func run(_ bytes: [UInt8]) throws(FuzzFinding) {
    var frames = TapeFrames()
    frames.add(mended(bytes)[...])
    do throws(UnplayableTape) {
      try frames.open()
    } catch {
      throw FuzzFinding("the first line is not the one that was written")
    }
    var decoder = TapeDecoder()
    var player = TapePlayer(world: Town().first)
    var text = ""
    while case .record(let payload) = frames.next() {
      let record: TapeDecoder.Record
      do throws(TapeCorruption) {
        record = try decoder.read(payload)
      } catch {
        try FuzzFinding.require(!error.sentence.isEmpty, "a flaw without a word")
        return
      }
      guard case .calls(let calls) = record else { continue }
      for call in calls {
        guard (.zero..<longest).contains(Town.began.duration(to: call.now.world)) else { return }
        // What comes of it differs from what the tape says as soon as anything is changed; it goes on all the same.
        text = player.play([call])?.text ?? ""
      }
    }
    try FuzzFinding.require(text.utf8.count < 1 << 20, "a difference of \(text.utf8.count) bytes")
  }

  /// The records of a tape, or of what was one, as they would be written.
  private static func mended(_ bytes: [UInt8]) -> [UInt8] {
    let opening = Array(TapeFrames.opening.utf8)
    var choices = Choices(bytes.starts(with: opening) ? Array(bytes[opening.count...]) : bytes)
    var mended = opening
    while !choices.isAtEnd {
      let head = choices.run(4)
      let count = head.prefix(3).reversed().reduce(0) { $0 << 8 | Int($1) }
      let payload = choices.run(count)
      _ = choices.run(4)
      if !payload.isEmpty { TapeFrames.append(payload, to: &mended) }
    }
    return mended
  }
}
