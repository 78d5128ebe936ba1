/// What came first goes first, without moving the rest each time.
struct Fifo<Element> {
  private var store: [Element] = []
  /// Those before it are gone.
  private var head = 0

  var isEmpty: Bool { head == store.count }
  var elements: ArraySlice<Element> { store[head...] }

  mutating func append(_ element: Element) { store.append(element) }

  mutating func popFirst() -> Element? {
    guard head < store.count else { return nil }
    let element = store[head]
    head += 1
    // At most half of the store is of those that are gone.
    if head * 2 >= store.count {
      store.removeFirst(head)
      head = 0
    }
    return element
  }
}
