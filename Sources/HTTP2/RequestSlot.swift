/// A client's request while it is open. Slots are reused, at addresses that never change.
struct RequestSlot {
  /// 0 while the slot is free.
  var stream: Int32 = 0
  private(set) var number: UInt64 = 0
  private(set) var startedAt: Int64 = 0
  /// 0 before the answer has come.
  var status = 0
  private(set) var body: [UInt8] = []
  private(set) var sent = 0
  private(set) var bodyIsSent = false
  /// The body of the answer.
  var answer: [UInt8] = []

  mutating func begin(_ number: UInt64, _ body: [UInt8], at now: Int64) {
    self.number = number
    self.body = body
    startedAt = now
    status = 0
    sent = 0
    bodyIsSent = false
  }

  mutating func end() {
    stream = 0
    answer = []
  }

  /// Copies the next part of the body.
  ///
  /// - Returns: its size; `bodyIsSent` is set if it was the last part.
  mutating func copyBody(into memory: UnsafeMutablePointer<UInt8>, room: Int) -> Int {
    let count = min(room, body.count - sent)
    body.withUnsafeBufferPointer { body in
      if let base = body.baseAddress { memory.update(from: base + sent, count: count) }
    }
    sent += count
    bodyIsSent = sent == body.count
    return count
  }
}
