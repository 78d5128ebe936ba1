import TestSupport

/// The bytes that a client sends on one connection, drawn by dice: several requests whose frames interleave, with all
/// that may stand between them; and the events that are complete at each byte.
struct AnywhereClient {
  /// An event that the server must have understood once a byte has come.
  enum Mark: Equatable {
    case ended(Int32)
    case reset(Int32)
    case initialWindow(Int)
    case window(Int32, Int)
  }

  struct Request {
    let fields: [(String, String)]
    let body: [UInt8]
    var isHead: Bool { fields[0].1 == "HEAD" }
  }

  private(set) var bytes = Frame.preface
  private(set) var marks: [(at: Int, mark: Mark)] = []
  private(set) var requests: [Int32: Request] = [:]
  /// True if stream windows are ever narrower than at first.
  private(set) var isNarrow = false

  private let packer: HeaderPacker
  private var hasAcknowledged = false
  /// Frames of each open stream that are still to be sent, the next one last.
  private var unsent: [(stream: Int32, frames: [Part])] = []

  private enum Part {
    case data([UInt8], ends: Bool)
    case trailers
    case reset
  }

  init(_ dice: inout Dice, _ packer: HeaderPacker) {
    self.packer = packer
    isNarrow = dice.oneIn(3)
    let window = isNarrow ? dice.below(200) : 65_535
    add(.settings([(UInt16(4), UInt32(window))]))
    marks.append((bytes.count, .initialWindow(window)))
    let count = 2 + dice.below(9)
    var begun = 0
    while begun < count || !unsent.isEmpty {
      if dice.oneIn(4) { addOther(&dice) }
      if begun < count, unsent.isEmpty || dice.oneIn(2) {
        begin(Int32(2 * begun + 1), &dice)
        begun += 1
      } else {
        let chosen = dice.below(unsent.count)
        send(unsent[chosen].frames.removeLast(), unsent[chosen].stream, &dice)
        if unsent[chosen].frames.isEmpty { unsent.remove(at: chosen) }
      }
    }
  }

  private mutating func add(_ frame: Frame) { bytes += frame.bytes }

  private mutating func begin(_ stream: Int32, _ dice: inout Dice) {
    let method = dice.oneIn(8) ? "HEAD" : "POST"
    var fields = [(":method", method), (":scheme", "https"), (":path", "/3/device/" + dice.letters(64))]
    fields += [(":authority", "localhost"), ("authorization", "bearer " + dice.letters(dice.below(250)))]
    for index in 0..<dice.below(4) { fields.append(("x-\(index)", dice.letters(dice.below(40)))) }
    let pieces = dice.below(4)
    let parts: [Part] = (0..<pieces).map { .data(Array(dice.letters(dice.below(90)).utf8), ends: $0 == pieces - 1) }
    var body: [UInt8] = []
    for case .data(let piece, _) in parts { body += piece }
    var left = parts
    if !left.isEmpty, dice.oneIn(4) {
      if case .data(let last, _) = left.removeLast() { left.append(.data(last, ends: false)) }
      left.append(.trailers)
    }
    // The client thinks better of it: in the middle, at the end or behind it.
    if dice.oneIn(6) {
      left = Array(left.prefix(dice.below(left.count + 1))) + [.reset]
      if left.count == 1, parts.isEmpty { left = [.reset] }
    }
    requests[stream] = Request(fields: fields, body: body)
    addBlock(stream, fields, ends: parts.isEmpty, &dice)
    if parts.isEmpty { marks.append((bytes.count, .ended(stream))) }
    if !left.isEmpty { unsent.append((stream, left.reversed())) }
  }

  /// A header block, in as many frames as chance wants.
  private mutating func addBlock(_ stream: Int32, _ fields: [(String, String)], ends: Bool, _ dice: inout Dice) {
    let block = packer.pack(fields)
    let cuts = (0..<dice.below(4)).map { _ in dice.below(block.count + 1) }.sorted()
    var pieces: [[UInt8]] = []
    var from = 0
    for cut in cuts + [block.count] {
      pieces.append(Array(block[from..<cut]))
      from = cut
    }
    for (index, piece) in pieces.enumerated() {
      let last: UInt8 = index == pieces.count - 1 ? Frame.endHeaders : 0
      guard index == 0 else {
        add(Frame(kind: .continuation, flags: last, stream: stream, payload: piece))
        continue
      }
      let padding = dice.oneIn(4) ? dice.below(20) : -1
      let payload = padding < 0 ? piece : [UInt8(padding)] + piece + [UInt8](repeating: 0, count: padding)
      let flags = last | (ends ? Frame.endStream : 0) | (padding < 0 ? 0 : Frame.padded)
      add(Frame(kind: .headers, flags: flags, stream: stream, payload: payload))
    }
  }

  private mutating func send(_ part: Part, _ stream: Int32, _ dice: inout Dice) {
    switch part {
    case .data(let piece, let ends):
      add(Frame(kind: .data, flags: ends ? Frame.endStream : 0, stream: stream, payload: piece))
      if ends { marks.append((bytes.count, .ended(stream))) }
    case .trailers:
      addBlock(stream, [("checksum", dice.letters(10))], ends: true, &dice)
      marks.append((bytes.count, .ended(stream)))
    case .reset:
      add(.reset(stream))
      marks.append((bytes.count, .reset(stream)))
    }
  }

  private mutating func addOther(_ dice: inout Dice) {
    switch dice.below(5) {
    case 0: add(Frame(kind: .ping, payload: Array(dice.letters(8).utf8)))
    case 1 where !hasAcknowledged:
      // The server's first; it may have sent no other by now.
      hasAcknowledged = true
      add(.settingsAck)
    case 2 where isNarrow:
      let window = dice.below(400)
      add(.settings([(UInt16(4), UInt32(window))]))
      marks.append((bytes.count, .initialWindow(window)))
    case 3:
      let more = 1 + dice.below(300)
      add(.windowUpdate(0, UInt32(more)))
      marks.append((bytes.count, .window(0, more)))
    case 4:
      guard let stream = unsent.first?.stream else { return }
      let more = 1 + dice.below(300)
      add(.windowUpdate(stream, UInt32(more)))
      marks.append((bytes.count, .window(stream, more)))
    default: add(Frame(kind: .priority, stream: 101, payload: [0, 0, 0, 0, 15]))
    }
  }
}
