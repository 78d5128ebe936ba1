import APNs
import Reporting
import WireFormats

/// How a tape says what was ordered: as the JSON that orders it. The end of an app's call is no order, and has a form
/// of its own.
extension TapeValueWriter {
  enum CommandKind {
    static let order: UInt8 = 0
    static let answer: UInt8 = 1
  }

  mutating func put(_ command: Command) {
    if case .answer(let call, let outcome) = command {
      put(byte: CommandKind.answer)
      put(call)
      put(outcome)
    } else if let order = CommandText.json(command) {
      put(byte: CommandKind.order)
      put(order.text)
    }
  }

  private mutating func put(_ outcome: CallOutcome) {
    switch outcome {
    case .answered(let status, let body):
      put(byte: 0)
      put(status)
      put(body?.text)
    case .failed(let failure, let sentence):
      put(byte: 1)
      put(failure.rawValue)
      put(sentence)
    }
  }
}
