import APNs
import Devices

/// Wire commands delayed by faults: looked up by number when due, and by connection when that is closed.
struct DelayedWireCommands: Sendable {
  struct Held: Sendable {
    let connection: ProviderConnectionID
    let order: WireCommand
    /// The push that it answers, if it is an answer.
    let push: UInt64?
    /// The device that the push is for.
    let device: DeviceID?
    /// The lasting effect that it ends, if any.
    let ends: FaultRegistry.Mark?
  }

  private(set) var orders: [UInt64: Held] = [:]
  /// The command numbers of each open connection.
  private(set) var numbers: [ProviderConnectionID: Set<UInt64>] = [:]
  private var count: UInt64 = 0

  var isEmpty: Bool { orders.isEmpty }

  /// Number of commands that wait.
  var waiting: Int { orders.count }

  func holds(_ number: UInt64) -> Bool { orders[number] != nil }

  func device(of number: UInt64) -> DeviceID? { orders[number]?.device }

  /// - Returns: its number.
  mutating func add(_ held: Held) -> UInt64 {
    count += 1
    orders[count] = held
    numbers[held.connection, default: []].insert(count)
    return count
  }

  mutating func take(_ number: UInt64) -> Held? {
    guard let held = orders.removeValue(forKey: number) else { return nil }
    numbers[held.connection]?.remove(number)
    if numbers[held.connection]?.isEmpty ?? false { numbers[held.connection] = nil }
    giveBack()
    return held
  }

  /// All commands of a connection, in the order in which they were delayed.
  mutating func takeAll(of connection: ProviderConnectionID) -> [Held] {
    guard let list = numbers.removeValue(forKey: connection) else { return [] }
    defer { giveBack() }
    return list.sorted().compactMap { orders.removeValue(forKey: $0) }
  }

  /// A dictionary keeps the memory of its largest time.
  private mutating func giveBack() { if orders.isEmpty, orders.capacity > 1000 { orders = [:] } }

  /// Drops the delayed answer to a push.
  ///
  /// - Returns: whether one was dropped.
  mutating func drop(answerTo push: UInt64, on connection: ProviderConnectionID) -> Bool {
    guard let number = numbers[connection]?.first(where: { orders[$0]?.push == push }) else { return false }
    return take(number) != nil
  }

  /// Drops the command that would end a lasting effect.
  ///
  /// - Returns: whether one was dropped.
  mutating func drop(ending mark: FaultRegistry.Mark, on connection: ProviderConnectionID) -> Bool {
    guard let number = numbers[connection]?.first(where: { orders[$0]?.ends == mark }) else { return false }
    return take(number) != nil
  }

  /// The push whose answer on that stream is delayed.
  func push(on stream: StreamID) -> UInt64? {
    for number in numbers[stream.connection] ?? [] {
      if let held = orders[number], case .respond(stream.number, _) = held.order { return held.push }
    }
    return nil
  }

  /// Drops everything except answers.
  ///
  /// - Returns: how many were dropped.
  mutating func keepAnswers() -> Int {
    let others = orders.keys.filter { orders[$0]?.push == nil }
    for number in others { _ = take(number) }
    return others.count
  }
}
