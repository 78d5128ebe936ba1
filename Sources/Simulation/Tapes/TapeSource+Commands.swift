import Grammar
import Reporting
import WireFormats

/// Reads what `TapeBytes` writes of orders.
extension TapeSource {
  mutating func command() throws(TapeFlaw) -> Command {
    switch try byte() {
    case TapeBytes.CommandKind.order:
      let order = try json()
      do throws(InputProblem) {
        return try CommandText.read(order)
      } catch {
        throw .senseless("an order that is none (\(error.sentence))")
      }
    case TapeBytes.CommandKind.answer: return .answer(try number(), try outcome())
    case let kind: throw .senseless("an order of kind \(kind)")
    }
  }

  private mutating func outcome() throws(TapeFlaw) -> CallOutcome {
    switch try byte() {
    case 0:
      return .answered(status: try integer(), body: try optional { source throws(TapeFlaw) in try source.json() })
    case 1: return .failed(try word(), try text())
    case let kind: throw .senseless("an end of a call of kind \(kind)")
    }
  }

  private mutating func json() throws(TapeFlaw) -> JSONValue {
    let bytes = Array(try list())
    do throws(JSONProblem) {
      return try JSONValue.parse(bytes)
    } catch {
      throw .senseless("an order that is no JSON (\(error.description))")
    }
  }
}
