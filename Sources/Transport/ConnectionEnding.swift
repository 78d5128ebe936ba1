/// The fate of an open connection when everything is written.
enum ConnectionEnding {
  /// The connection stays open, unless it is finished: GOAWAY was sent, and the last stream has ended.
  case none
  /// The connection stays open after a GOAWAY, as Apple's sometimes do.
  case staysOpen
  case close(CloseReason)
  /// The write side is shut; the client may keep its side open.
  case halfClose(sendsCloseNotify: Bool)

  /// True if nothing but a thaw or an abort has an effect any more.
  var isDecided: Bool {
    switch self {
    case .none, .staysOpen: false
    case .close, .halfClose: true
    }
  }

  /// A GOAWAY was sent that ends the connection after the last answer.
  mutating func endsAfterLastAnswer() { if case .staysOpen = self { self = .none } }

  /// Everything is written.
  ///
  /// - Parameter isFinished: true if the session will read and write nothing more.
  /// - Returns: the reason if the write side is shut now.
  func reason(isFinished: Bool) -> CloseReason? {
    switch self {
    case .none: isFinished ? .finished : nil
    case .staysOpen: nil
    case .close(let why): why
    case .halfClose: .asked
    }
  }
}
