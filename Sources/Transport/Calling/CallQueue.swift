/// A call that has not ended.
struct OpenCall {
  let call: AppCall
  let target: CallTarget
  /// Steady nanoseconds.
  let started: Int64
  let deadline: Int64
}

/// Calls that wait for a connection: first come, first served at each host, and the hosts by turns, so that a host
/// that does not answer holds up nobody else's calls but its own.
struct CallQueue {
  /// The calls to one host and port.
  private struct Line {
    var calls = Fifo<OpenCall>()
    var inFlight = 0
    /// Whether the line is in `turns`.
    var hasTurn = false
  }

  private let perHost: Int
  private var lines: [String: Line] = [:]
  /// Hosts with waiting calls and a free connection, next first.
  private var turns = Fifo<String>()
  private(set) var waiting = 0

  init(perHost: Int) { self.perHost = perHost }

  mutating func append(_ call: OpenCall) {
    let host = call.target.authority
    lines[host, default: Line()].calls.append(call)
    waiting += 1
    giveTurn(host)
  }

  /// The next call whose host has a connection free; it counts as in flight from now on.
  mutating func next() -> OpenCall? {
    while let host = turns.popFirst() {
      lines[host]?.hasTurn = false
      guard let call = lines[host]?.calls.popFirst() else {
        // All that waited there was taken out meanwhile.
        forget(host)
        continue
      }
      lines[host]?.inFlight += 1
      waiting -= 1
      giveTurn(host)
      return call
    }
    return nil
  }

  /// A call of the host is in flight no more.
  mutating func landed(_ host: String) {
    lines[host]?.inFlight -= 1
    giveTurn(host)
    forget(host)
  }

  /// Takes out the waiting calls that `isMeant` is true of.
  mutating func remove(where isMeant: (OpenCall) -> Bool) -> [OpenCall] {
    var removed: [OpenCall] = []
    for (host, line) in lines {
      var kept = Fifo<OpenCall>()
      let before = removed.count
      for call in line.calls.elements {
        if isMeant(call) { removed.append(call) } else { kept.append(call) }
      }
      guard removed.count > before else { continue }
      lines[host]?.calls = kept
      forget(host)
    }
    waiting -= removed.count
    return removed
  }

  /// Steady nanoseconds.
  var firstDeadline: Int64? {
    lines.values.lazy.flatMap { $0.calls.elements.lazy.map(\.deadline) }.min()
  }

  /// Drops a line of which nothing is left, not even its name in `turns`: it would come to stand there twice.
  private mutating func forget(_ host: String) {
    guard let line = lines[host], line.calls.isEmpty, line.inFlight == 0, !line.hasTurn else { return }
    lines[host] = nil
  }

  private mutating func giveTurn(_ host: String) {
    guard let line = lines[host], !line.hasTurn, !line.calls.isEmpty, line.inFlight < perHost else { return }
    lines[host]?.hasTurn = true
    turns.append(host)
  }
}

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
