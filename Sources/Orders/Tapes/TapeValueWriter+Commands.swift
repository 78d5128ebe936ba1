import APNs
import Reporting
import Simulation
import WireFormats

/// Writes orders on a tape, as the JSON of the order. The end of an app's call is not an order and has its own form.
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
