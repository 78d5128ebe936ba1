/// The time since a client has accepted nothing while data waits for it, in steady nanoseconds.
///
/// Only sent data counts, not what the client sends meanwhile, such as PINGs.
struct WriteStall {
  /// Bytes wait for the socket.
  private var socket: Int64
  /// Answers wait for an HTTP/2 window.
  private var windows: Int64
  private var written: UInt64
  private var answers: UInt64

  init(at now: Int64, written: UInt64, answers: UInt64) {
    (socket, windows) = (now, now)
    (self.written, self.answers) = (written, answers)
  }

  /// - Parameter socketIsFull: while it is, answers cannot be sent for that reason alone.
  mutating func update(at now: Int64, written: UInt64, answers: UInt64, socketIsFull: Bool, answersWait: Bool) {
    if !socketIsFull || written != self.written { socket = now }
    if !answersWait || socketIsFull || answers != self.answers { windows = now }
    (self.written, self.answers) = (written, answers)
  }

  var since: Int64 { min(socket, windows) }
}
