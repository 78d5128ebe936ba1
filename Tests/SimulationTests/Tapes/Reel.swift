import Orders
import Simulation
import Timeline
import WireFormats

/// A tape in memory: written by the encoder, and read as `replay` reads one.
struct Reel {
  /// The way in which a reading ended.
  enum Ending: Equatable {
    case whole
    case cut
    case damaged
    case refused(UnplayableTape)
    case unreadable(TapeCorruption)
  }

  static let header = TapeHeader(program: "test", began: Stage.began, sources: ["settings": "none"])

  private(set) var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// - Parameter ends: whether the record is there that says that nothing is missing.
  init(_ batches: [TapeBatch], ends: Bool = true) throws {
    var encoder = TapeEncoder()
    bytes = try encoder.begin(Self.header)
    for batch in batches where !batch.calls.isEmpty { try encoder.add(batch, to: &bytes) }
    if ends { try encoder.end(into: &bytes) }
  }

  /// A copy of the tape with the records of calls changed and their checksums corrected.
  func mapping(_ change: ([UInt8]) -> [UInt8]) throws -> Reel {
    var frames = TapeFrames()
    frames.add(bytes[...])
    try frames.open()
    var changed = Array(TapeFrames.opening.utf8)
    while case .record(let payload) = frames.next() {
      TapeFrames.append(change(payload), to: &changed)
    }
    return Reel(changed)
  }

  /// Every call that can be read, and how the reading ended.
  var read: (header: TapeHeader?, records: [[TapeCall]], ending: Ending) {
    var frames = TapeFrames()
    frames.add(bytes[...])
    do throws(UnplayableTape) {
      try frames.open()
    } catch {
      return (nil, [], .refused(error))
    }
    var decoder = TapeDecoder()
    var header: TapeHeader?
    var records: [[TapeCall]] = []
    var isOver = false
    while true {
      switch frames.next() {
      case .unfinished: return (header, records, isOver && frames.waiting == 0 ? .whole : .cut)
      case .damaged: return (header, records, .damaged)
      case .record(let payload):
        do throws(TapeCorruption) {
          switch try decoder.read(payload) {
          case .header(let found): header = found
          case .calls(let calls): records.append(calls)
          case .end: isOver = true
          }
        } catch {
          return (header, records, .unreadable(error))
        }
      }
    }
  }

  /// Plays it in a world.
  func play(in world: World) -> (player: TapePlayer, difference: TapeDifference?) {
    var player = TapePlayer(world: world)
    for record in read.records {
      if let difference = player.play(record) { return (player, difference) }
    }
    return (player, nil)
  }
}
