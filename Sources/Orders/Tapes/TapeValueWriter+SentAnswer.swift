import Simulation

extension TapeValueWriter {
  mutating func put(_ sent: SentAnswer) {
    switch sent {
    case .answer(let status): put(0, status)
    case .malformed(let status): put(1, status)
    case .incomplete(let status): put(2, status)
    case .reset(let code):
      put(byte: 3)
      put(word: code)
    case .pending(let wait):
      put(byte: 4)
      put(wait.rawValue)
    case .nothing(let cause):
      put(byte: 5)
      put(cause.rawValue)
    }
  }

  private mutating func put(_ kind: UInt8, _ status: Int) {
    put(byte: kind)
    put(status)
  }
}

extension TapeValueReader {
  mutating func sentAnswer() throws(TapeCorruption) -> SentAnswer {
    switch try byte() {
    case 0: return .answer(status: try status())
    case 1: return .malformed(status: try status())
    case 2: return .incomplete(status: try status())
    case 3:
      let code = try word()
      guard code < UInt32(HTTP2ErrorName.all.count) else { throw .invalid("the error code \(code)") }
      return .reset(code: code)
    case 4: return .pending(try word())
    case 5: return .nothing(try word())
    case let kind: throw .invalid("an answer of kind \(kind)")
    }
  }

  private mutating func status() throws(TapeCorruption) -> Int {
    let status: Int = try integer()
    guard (100...599).contains(status) else { throw .invalid("the status \(status)") }
    return status
  }
}
