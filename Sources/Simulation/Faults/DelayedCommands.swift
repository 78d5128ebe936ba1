import APNs
import Devices

/// Commands and answers that faults still send on one connection.
struct DelayedCommands: Sendable {
  enum Delayed: Sendable {
    case command(WireCommand)
    /// An answer, and the push that it is for; nil for a request about channels.
    case answer(WireCommand, to: UInt64?)
    /// The end of a lasting effect.
    case ending
  }

  private(set) var list: [UInt64: Delayed] = [:]

  mutating func add(_ delayed: Delayed, number: UInt64) { list[number] = delayed }

  mutating func take(_ number: UInt64) -> Delayed? {
    let taken = list.removeValue(forKey: number)
    // A dictionary keeps the memory of its largest time.
    if list.isEmpty, list.capacity > 1000 { list = [:] }
    return taken
  }

  /// All of them, in the order in which they were delayed.
  mutating func takeAll() -> [Delayed] {
    defer { list = [:] }
    return list.keys.sorted().compactMap { list[$0] }
  }

  /// Drops the answer to a push.
  ///
  /// - Returns: true if it was there.
  mutating func drop(answerTo push: UInt64) -> Bool {
    let number = list.first { if case .answer(_, push) = $0.value { true } else { false } }?.key
    return number.flatMap { take($0) } != nil
  }

  /// Drops everything except answers.
  ///
  /// - Returns: the number of dropped commands.
  mutating func keepAnswers() -> Int {
    let before = list.count
    list = list.filter { if case .answer = $0.value { true } else { false } }
    return before - list.count
  }

  /// The push whose answer on that stream is delayed.
  func push(on stream: Int32) -> UInt64? {
    for case .answer(let command, let push) in list.values { if command.answers(stream) { return push } }
    return nil
  }
}

extension DelayedCommands.Delayed {
  /// The push that it answers, if it is an answer.
  var push: UInt64? { if case .answer(_, let push) = self { push } else { nil } }
}

extension WireCommand {
  fileprivate func answers(_ number: Int32) -> Bool {
    if case .respond(number, _) = self { true } else { false }
  }
}
