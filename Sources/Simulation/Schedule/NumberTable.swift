/// Values by a 64-bit number, such as the number of a push: a dictionary without a keyed hash.
///
/// `Dictionary` hashes its keys with SipHash, so that no client can choose keys that collide. These numbers are not
/// chosen by clients, and they are looked up for every push. Open addressing: at most half of the places are taken.
package struct NumberTable<Value: Sendable>: Sendable {
  private var numbers: ContiguousArray<UInt64> = []
  /// Nil for a free place.
  private var values: ContiguousArray<Value?> = []
  package private(set) var count = 0

  private static var smallest: Int { 16 }

  package init() {}

  var isEmpty: Bool { count == 0 }

  package subscript(number: UInt64) -> Value? {
    get { place(of: number).flatMap { values[$0] } }
    set {
      guard let newValue else {
        removeValue(forKey: number)
        return
      }
      if let place = place(of: number) {
        values[place] = newValue
      } else {
        insert(newValue, number)
      }
    }
  }

  @discardableResult
  mutating func removeValue(forKey number: UInt64) -> Value? {
    guard var hole = place(of: number) else { return nil }
    var removed: Value?
    swap(&removed, &values[hole])
    count -= 1
    // Entries behind it move up, unless that would put them before their first place.
    var place = next(hole)
    while values[place] != nil {
      if distance(from: firstPlace(numbers[place]), to: place) >= distance(from: hole, to: place) {
        numbers[hole] = numbers[place]
        values.swapAt(hole, place)
        hole = place
      }
      place = next(place)
    }
    return removed
  }

  /// Removes the values that are not wanted.
  mutating func keep(where isWanted: (Value) -> Bool) {
    let old = self
    self = NumberTable()
    for place in old.values.indices {
      if let value = old.values[place], isWanted(value) { insert(value, old.numbers[place]) }
    }
  }

  private mutating func insert(_ value: Value, _ number: UInt64) {
    if 2 * count >= values.count { grow() }
    var place = firstPlace(number)
    while values[place] != nil { place = next(place) }
    numbers[place] = number
    values[place] = value
    count += 1
  }

  private mutating func grow() {
    let old = self
    let size = max(Self.smallest, 2 * values.count)
    numbers = ContiguousArray(repeating: 0, count: size)
    values = ContiguousArray(repeating: nil, count: size)
    count = 0
    for place in old.values.indices { if let value = old.values[place] { insert(value, old.numbers[place]) } }
  }

  private func place(of number: UInt64) -> Int? {
    guard count > 0 else { return nil }
    var place = firstPlace(number)
    while values[place] != nil {
      if numbers[place] == number { return place }
      place = next(place)
    }
    return nil
  }

  /// Fibonacci hashing: consecutive numbers are spread evenly. The number of places is a power of two.
  private func firstPlace(_ number: UInt64) -> Int {
    Int(truncatingIfNeeded: (number &* 0x9E37_79B9_7F4A_7C15) >> 32) & (values.count &- 1)
  }

  private func next(_ place: Int) -> Int { (place &+ 1) & (values.count &- 1) }

  private func distance(from first: Int, to second: Int) -> Int { (second &- first) & (values.count &- 1) }
}

extension NumberTable where Value == UInt32 {
  /// Adds one to the count of a number, if the table has it.
  ///
  /// - Returns: the new count; nil if the number is not there.
  mutating func increment(_ number: UInt64) -> UInt32? {
    guard let place = place(of: number) else { return nil }
    values[place]? &+= 1
    return values[place]
  }
}
