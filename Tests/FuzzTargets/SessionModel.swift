import HTTP2
import WireFormats

/// The knowledge of a client that looks at all bytes of a session: who was asked, who was answered, and with what.
struct SessionModel {
  private struct Talk {
    var isArrived = false
    var isReset = false
    /// The body that was given as its answer first; a later answer is dropped.
    var answer: [UInt8]?
    var heads = 0
    var received = 0
    var isOver = false
  }

  var bodyLimit = 0
  /// Streams whose requests have arrived and that are neither answered nor reset, in the order they came.
  private(set) var waiting: [Int32] = []
  private var talks: [Int32: Talk] = [:]
  /// Sound requests by their stream: the path and the body, as long as nothing else was sent on that stream.
  private var sent: [Int32: (path: String, body: [UInt8])] = [:]
  /// Written bytes that are no whole frame yet.
  private var unread: [UInt8] = []

  // MARK: - What comes in

  mutating func request(_ stream: Int32, bodyCount: Int) -> [UInt8] {
    let path = "/3/device/\(stream)"
    let body = [UInt8](repeating: UInt8(truncatingIfNeeded: stream), count: bodyCount)
    sent[stream] = (path, body)
    let fields = [(":method", "POST"), (":scheme", "https"), (":path", path), ("x-stream", "\(stream)")]
    let headers = Wire.frame(1, bodyCount == 0 ? 5 : 4, Int(stream), Wire.block(fields))
    return headers + (bodyCount == 0 ? [] : Wire.frame(0, 1, Int(stream), body))
  }

  mutating func arrived(_ arrival: IncomingRequest) throws(FuzzFinding) {
    let stream = arrival.stream
    try FuzzFinding.require(stream > 0 && stream % 2 == 1, "a request arrived on stream \(stream)")
    try FuzzFinding.require(talks[stream]?.isArrived != true, "the request on stream \(stream) arrived twice")
    try FuzzFinding.require(
      arrival.request.bodyCount <= bodyLimit + 1, "a body of \(arrival.request.bodyCount) bytes was kept")
    talks[stream, default: Talk()].isArrived = true
    waiting.append(stream)
    guard let whole = sent[stream], let name = arrival.request.fields["x-stream"] else { return }
    // Bytes at random may be put before a sound request, and then it is another's.
    guard name == "\(stream)", arrival.request.bodyCount == whole.body.count else { return }
    try FuzzFinding.require(
      arrival.request.fields[":path"] == whole.path && Array(arrival.request.body) == whole.body,
      "the request on stream \(stream) is not what was sent")
  }

  mutating func wasReset(_ stream: Int32) {
    talks[stream]?.isReset = true
    waiting.removeAll { $0 == stream }
  }

  mutating func answered(_ stream: Int32, _ body: [UInt8]) throws(FuzzFinding) {
    try FuzzFinding.require(
      waiting.contains(stream), "an answer was taken on stream \(stream), which waits for none")
    waiting.removeAll { $0 == stream }
    talks[stream]?.answer = body
  }

  // MARK: - What goes out

  mutating func read(_ bytes: [UInt8]) throws(FuzzFinding) {
    unread += bytes
    var at = 0
    while unread.count - at >= 9 {
      let count = Int(unread[at]) << 16 | Int(unread[at + 1]) << 8 | Int(unread[at + 2])
      try FuzzFinding.require(count <= 16_384, "a frame of \(count) bytes was written")
      guard unread.count - at >= 9 + count else { break }
      let stream = unread[(at + 5)..<(at + 9)].reduce(0 as Int32) { $0 << 8 | Int32($1) } & Int32.max
      try read(unread[at + 3], unread[at + 4], stream, unread[(at + 9)..<(at + 9 + count)])
      at += 9 + count
    }
    unread.removeFirst(at)
  }

  private mutating func read(
    _ kind: UInt8, _ flags: UInt8, _ stream: Int32, _ payload: ArraySlice<UInt8>
  ) throws(FuzzFinding) {
    try FuzzFinding.require(kind <= 9, "a frame of type \(kind) was written")
    guard kind <= 1 else {
      if kind == 3 { talks[stream, default: Talk()].isOver = true }
      return
    }
    var talk = talks[stream] ?? Talk()
    try FuzzFinding.require(!talk.isOver, "stream \(stream) goes on after its end")
    if kind == 1 {
      talk.heads += 1
      try FuzzFinding.require(talk.heads == 1, "stream \(stream) was answered twice")
    } else {
      try FuzzFinding.require(talk.heads == 1, "a body without a head on stream \(stream)")
      let body = talk.answer ?? []
      let next = talk.received + payload.count
      try FuzzFinding.require(
        next <= body.count && payload.allSatisfy { $0 == UInt8(truncatingIfNeeded: stream) },
        "the answer on stream \(stream) is not the one that was given")
      talk.received = next
    }
    if flags & 1 != 0 { talk.isOver = true }
    talks[stream] = talk
  }
}
