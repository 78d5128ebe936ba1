import HTTP2
import WireFormats

/// A session whose client sends anything, and whose owner answers, resets and limits at any point between.
struct SessionTarget {
  private let session: HTTP2Session
  private var choices: Choices
  private var model = SessionModel()
  /// Of the next well-formed request.
  private var nextStream: Int32 = 1
  /// An input of 4 KB has no more steps than this in it.
  private static let mostSteps = 2000

  private init(_ bytes: [UInt8]) {
    choices = Choices(bytes)
    var options = SessionOptions()
    let first = choices.byte()
    options.strictStreams = first & 1 != 0
    if first & 2 != 0 { options.announcedStreams = 100 }
    if first & 4 != 0 { options.maxHeaderList = 200 }
    if first & 8 != 0 { options.oversizeHeaders = .reset }
    if first & 16 != 0 { options.bodyLimit = 64 }
    if first & 32 != 0 { options.streamCap = 4 }
    session = HTTP2Session(options, pool: SlotPool())
    model.bodyLimit = options.bodyLimit
    // Most inputs are of use only behind a greeting.
    if first & 64 == 0 { feed(Wire.preface + Wire.frame(4, 0, 0, [])) }
  }

  static func run(_ bytes: [UInt8]) throws(FuzzFinding) {
    var target = SessionTarget(bytes)
    var steps = 0
    while !target.choices.isAtEnd, steps < mostSteps {
      try target.step()
      try target.check()
      steps += 1
    }
    try target.write(1 << 16)
    try target.check()
  }

  private func feed(_ bytes: [UInt8]) { bytes.withUnsafeBytes { session.receive($0) } }

  private mutating func step() throws(FuzzFinding) {
    switch choices.below(16) {
    case 0: try receive(choices.run(choices.number()))
    case 1: try receive(frame())
    case 2, 3: try request()
    case 4: try answer(inPieces: false)
    case 5: try answer(inPieces: true)
    case 6: _ = session.continueSplit(stream())
    case 7:
      let number = stream()
      session.reset(number, ErrorCode(rawValue: UInt32(choices.byte())))
      model.wasReset(number)
    case 8: session.goAway(lastStream: choices.byte() & 1 == 0 ? nil : stream(), .noError, debug: choices.run(8))
    case 9:
      let count = choices.below(8)
      if count == 0 { session.restoreStreamLimit() } else { session.announceStreams(count) }
    case 10:
      session.limitStreams(
        choices.below(4), excessStreams: choices.byte() & 1 == 0 ? nil : ExcessStreams(.enhanceYourCalm))
    case 11: session.setWindow(choices.number(), withheld: choices.byte() & 1 != 0)
    case 12: try write(choices.number() % 700 + 1)
    case 13:
      // The owner keeps what may not leave yet; here it leaves at once, behind the PINGs.
      let (leaving, held) = session.fillOnlyPings()
      try model.read(leaving + held)
    case 14: try receive(Wire.frame(8, 0, Int(stream()), Wire.bigEndian(choices.number())))
    default: session.ping()
    }
  }

  private mutating func receive(_ bytes: [UInt8]) throws(FuzzFinding) {
    feed(bytes)
    for arrival in session.arrived { try model.arrived(arrival) }
    for stream in session.cancelled { model.wasReset(stream) }
    session.clearArrivals()
    _ = session.takeIgnored()
  }

  /// A stream that there has been, or any small number.
  private mutating func stream() -> Int32 {
    let byte = choices.byte()
    return byte < 128 ? max(nextStream - 2 * Int32(byte % 8), 1) : Int32(byte - 128)
  }

  private mutating func frame() -> [UInt8] {
    let (kind, flags, number) = (choices.byte() % 11, choices.byte(), choices.byte())
    return Wire.frame(kind, flags, Int(number), choices.run(Int(choices.byte())))
  }

  /// A sound request whose path, header and body name its stream, cut where the input says.
  private mutating func request() throws(FuzzFinding) {
    let stream = nextStream
    nextStream += 2
    let bytes = model.request(stream, bodyCount: choices.number() % 300)
    let cut = choices.number() % (bytes.count + 1)
    try receive(Array(bytes[..<cut]))
    if cut < bytes.count, choices.byte() & 1 != 0 { try answer(inPieces: false) }
    if choices.byte() & 3 != 0 { try receive(Array(bytes[cut...])) }
  }

  private mutating func answer(inPieces: Bool) throws(FuzzFinding) {
    let known = model.waiting
    let any = stream()
    let stream = known.isEmpty || choices.byte() & 7 == 0 ? any : known[choices.below(known.count)]
    let body = [UInt8](repeating: UInt8(truncatingIfNeeded: stream), count: choices.number() % 2000)
    let response = HTTPResponse(
      status: 200 + choices.below(2) * 200, fields: HTTPFields([("apns-id", "\(stream)")]), body: body)
    guard inPieces else {
      if session.respond(stream, response) { try model.answered(stream, body) }
      return
    }
    let sizes = (0..<choices.below(4)).map { _ in Int(choices.byte()) - 2 }
    let end: BodySplit.End = [.withLastPiece, .apart, .never][choices.below(3)]
    let split = BodySplit(sizes: sizes, end: end, pause: choices.byte() & 1 == 0 ? nil : .seconds(1))
    if session.respond(stream, response, in: split) { try model.answered(stream, body) }
  }

  private mutating func write(_ room: Int) throws(FuzzFinding) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
    defer { buffer.deallocate() }
    let count = session.fill(buffer)
    try FuzzFinding.require(count >= 0 && count <= room, "fill wrote \(count) bytes into \(room)")
    try model.read(Array(buffer[..<count]))
  }

  private func check() throws(FuzzFinding) {
    try FuzzFinding.require(
      session.awaitingCount >= 0 && session.awaitingCount <= session.openStreamCount,
      "\(session.awaitingCount) streams wait for an answer, of \(session.openStreamCount)")
  }
}

/// Frames as bytes (RFC 9113 section 4.1).
enum Wire {
  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  static func frame(_ kind: UInt8, _ flags: UInt8, _ stream: Int, _ payload: [UInt8]) -> [UInt8] {
    let head = [UInt8(payload.count >> 16 & 255), UInt8(payload.count >> 8 & 255), UInt8(payload.count & 255)]
    return head + [kind, flags] + bigEndian(stream) + payload
  }

  static func bigEndian(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(number >> $0 & 255) } }

  /// Literal fields of at most 126 bytes, without indexing (RFC 7541 section 6.2.2).
  static func block(_ fields: [(String, String)]) -> [UInt8] {
    var block: [UInt8] = []
    for (name, value) in fields {
      block += [0, UInt8(name.utf8.count)]
      block += Array(name.utf8)
      block.append(UInt8(value.utf8.count))
      block += Array(value.utf8)
    }
    return block
  }
}
