/// The pauses between the pieces of split answers.
final class AnswerPauses {
  private let base: OpaquePointer
  /// By stream.
  private var pauses: [Int32: LoopEvent] = [:]

  init(on base: OpaquePointer) { self.base = base }

  /// A first piece was sent.
  ///
  /// - Parameter sendNext: called after each pause; false if no piece follows.
  func begin(_ pause: Duration, of stream: Int32, _ sendNext: @escaping () -> Bool) {
    let event = LoopEvent(on: base) { [unowned self] in ended(pause, of: stream, sendNext) }
    event.add(timeout: pause)
    pauses[stream] = event
  }

  private func ended(_ pause: Duration, of stream: Int32, _ sendNext: () -> Bool) {
    if sendNext() { pauses[stream]?.add(timeout: pause) } else { pauses[stream] = nil }
  }
}
