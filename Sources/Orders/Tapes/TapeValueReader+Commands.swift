import Grammar
import Reporting
import Simulation
import WireFormats

/// Reads orders written by `TapeValueWriter`.
extension TapeValueReader {
  mutating func command() throws(TapeCorruption) -> Command {
    switch try byte() {
    case TapeValueWriter.CommandKind.order:
      let order = try json()
      do throws(InputProblem) {
        return try CommandText.read(order)
      } catch {
        throw .invalid("an invalid order (\(error.sentence))")
      }
    case TapeValueWriter.CommandKind.answer: return .answer(try number(), try outcome())
    case let kind: throw .invalid("an order of kind \(kind)")
    }
  }

  private mutating func outcome() throws(TapeCorruption) -> CallOutcome {
    switch try byte() {
    case 0:
      return .answered(status: try integer(), body: try optional { source throws(TapeCorruption) in try source.json() })
    case 1: return .failed(try word(), try text())
    case let kind: throw .invalid("an end of a call of kind \(kind)")
    }
  }

  private mutating func json() throws(TapeCorruption) -> JSONValue {
    let bytes = Array(try list())
    do throws(JSONProblem) {
      return try JSONValue.parse(bytes)
    } catch {
      throw .invalid("an order that is not JSON (\(error.description))")
    }
  }
}
