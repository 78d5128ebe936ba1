import APNs
import Devices
import Orders
import Simulation
import TestSupport
import Testing
import Timeline
import WireFormats

@Suite("A tape")
struct TapeTests {
  /// A tape of a random day, and the world it began in.
  private static func day(_ seed: UInt64, steps: Int = 200) throws -> (before: World, batches: [TapeBatch]) {
    var days = RandomDays(seed: seed)
    let before = days.record()
    for _ in 0..<steps { _ = try days.step() }
    _ = days.advance(by: .seconds(86_400))
    return (before, days.stage.batches)
  }

  @Test("a tape of a random day contains its calls unchanged, and playing it gives the same events", arguments: 0..<40)
  func randomDay(seed: UInt64) throws {
    let day = try Self.day(seed)
    let reel = try Reel(day.batches)
    let read = reel.read
    #expect(read.ending == .whole, "seed \(seed)")
    #expect(read.header == Reel.header)
    let calls = read.records.flatMap { $0 }
    let original = day.batches.flatMap(\.calls)
    #expect(calls.count == original.count, "seed \(seed)")
    for (read, call) in zip(calls, original) {
      #expect(read.call == call.call && read.now == call.now, "seed \(seed): \(call)")
    }
    var player = TapePlayer(world: day.before)
    var events: [WorldEvent] = []
    for record in read.records {
      let difference = player.play(record) { list, _, _ in events += list }
      #expect(difference == nil, "seed \(seed): \(difference?.text ?? "")")
    }
    let recorded = day.batches.flatMap(\.events)
    #expect(events == recorded, "seed \(seed)")
    #expect(events.map { EventLine.of($0) } == recorded.map { EventLine.of($0) }, "seed \(seed)")
  }

  @Test("truncated at any byte gives the complete records before that place, and reports the truncation")
  func cut() throws {
    let day = try Self.day(7, steps: 40)
    let reel = try Reel(day.batches)
    let whole = reel.read.records
    let opening = TapeFrames.opening.utf8.count
    var last = 0
    for count in 0..<reel.bytes.count {
      let read = Reel(Array(reel.bytes.prefix(count))).read
      guard count >= opening else {
        #expect(read.ending == .refused(.noTape), "\(count) bytes")
        continue
      }
      #expect(read.ending == .cut, "\(count) bytes")
      #expect(read.records.count >= last && read.records.elementsEqual(whole.prefix(read.records.count)), "\(count)")
      last = read.records.count
    }
    #expect(last == whole.count)
    #expect(reel.read.ending == .whole)
  }

  @Test("a tape with any one bit flipped is detected")
  func flipped() throws {
    let day = try Self.day(3, steps: 12)
    let reel = try Reel(day.batches)
    for place in reel.bytes.indices {
      for bit in 0..<8 {
        var bytes = reel.bytes
        bytes[place] ^= 1 << UInt8(bit)
        let ending = Reel(bytes).read.ending
        switch ending {
        case .damaged: #expect(place >= TapeFrames.opening.utf8.count, "bit \(bit) of byte \(place)")
        case .refused: #expect(place < TapeFrames.opening.utf8.count, "bit \(bit) of byte \(place)")
        case .whole, .cut, .unreadable: Issue.record("bit \(bit) of byte \(place): \(ending)")
        }
      }
    }
  }

  @Test("a tape of garbage with valid checksums is rejected and never crashes the program", arguments: 0..<300)
  func garbage(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    let day = try Self.day(seed % 5, steps: 10)
    let sound = try Reel(day.batches).bytes
    var frames = TapeFrames()
    frames.add(sound[...])
    try frames.open()
    var bytes = Array(TapeFrames.opening.utf8)
    while case .record(var payload) = frames.next() {
      // The checksum is made for what is changed, so that the decoder must find out for itself.
      for _ in 0..<dice.below(3) where payload.count > 1 {
        payload[1 + dice.below(payload.count - 1)] = UInt8(dice.below(256))
      }
      TapeFrames.append(payload, to: &bytes)
    }
    let reel = Reel(bytes)
    _ = reel.read
    _ = reel.play(in: day.before)
  }

  @Test("played in a world with another seed reports the first difference", arguments: 0..<10)
  func otherWorld(seed: UInt64) throws {
    let day = try Self.day(seed)
    let reel = try Reel(day.batches)
    var other = RandomDays(seed: seed, fleetSeed: seed + 1000)
    let (player, difference) = reel.play(in: other.record())
    let found = try #require(difference)
    #expect(found.callNumber == player.tally.calls && found.record == player.tally.records)
    #expect(found.then != found.now)
    for part in ["call \(found.callNumber)", "record \(found.record)", found.at.world.rfc3339] {
      #expect(found.text.contains(part), "\(found.text)")
    }
  }

  @Test("the replay of a tape reports a push with another fate: its device, its stream and both fates")
  func difference() throws {
    var stage = Stage()
    let before = stage.record()
    let token = try stage.token(on: 3)
    for _ in 0..<3 { _ = try stage.push(token) }
    _ = stage.events()
    let reel = try Reel(stage.batches)
    #expect(reel.play(in: before).difference == nil)
    var other = before
    var fault = Fault("f", .push(.refuse(.tooManyRequests, retryAfter: nil, age: nil)))
    fault.condition.skip = 1
    try other.perform(.setFault(fault), at: stage.now)
    var list: [WorldEvent] = []
    other.takeEvents(into: &list)
    let text = try #require(reel.play(in: other).difference).text
    #expect(text.contains("call 2, in record 1"), "\(text)")
    #expect(text.contains("a push to d3's device token for com.example.app on connection 1, stream"), "\(text)")
    #expect(text.contains("On the tape:     200 Delivered to Device"), "\(text)")
    #expect(text.contains("In this program: faultStruck; 429 TooManyRequests, Refused by APNs"), "\(text)")
  }

  @Test("of another format, or another file, is refused by its first line")
  func otherFormat() throws {
    #expect(Reel(Array("pushpit tape 1\nwhatever".utf8)).read.ending == .refused(.otherFormat("1", program: nil)))
    let tape = try Reel([] as [TapeBatch]).bytes.drop { $0 != 0x0A }
    #expect(Reel(Array("pushpit tape 4".utf8) + tape).read.ending == .refused(.otherFormat("4", program: "test")))
    #expect(Reel(Array("name: x\nsteps: []\n".utf8)).read.ending == .refused(.noTape))
    #expect(Reel([]).read.ending == .refused(.noTape))
  }

  @Test("a tape records a push that resembles the one before in few bytes")
  func compact() throws {
    var stage = Stage()
    _ = stage.record()
    let tokens = try (0..<50).map { try stage.token(on: $0) }
    for round in 0..<20 {
      for token in tokens { _ = try stage.push(token, body: #"{"aps":{"alert":"Goal \#(round)!"}}"#) }
      _ = stage.events()
    }
    let sound = try Reel(stage.batches)
    // A request of these has 550 bytes, and in each round the text of one in fifty is new.
    #expect(sound.bytes.count / 1000 < 16, "\(sound.bytes.count) bytes for 1000 pushes")
  }

  @Test("a tape does not record time in which nothing was done")
  func idle() throws {
    var stage = Stage()
    _ = stage.record()
    for _ in 0..<100 { stage.advance(by: .milliseconds(100)) }
    _ = stage.events()
    #expect(stage.batches.flatMap(\.calls).isEmpty)
  }
}
