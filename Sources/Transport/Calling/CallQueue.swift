/// A call that has not ended.
struct OpenCall {
  let call: AppCall
  let target: CallTarget
  /// Steady nanoseconds.
  let started: Int64
  let deadline: Int64
}

/// Calls waiting for a connection: first come, first served at each host, and round robin between hosts, so that a slow
/// host delays only its own calls.
struct CallQueue {
  /// The calls to one host and port.
  private struct Line {
    var calls = Fifo<OpenCall>()
    var inFlight = 0
    /// True if the host is in `turns`.
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

  /// The next call whose host has a free connection; it counts as in flight from now on.
  mutating func next() -> OpenCall? {
    while let host = turns.popFirst() {
      lines[host]?.hasTurn = false
      guard let call = lines[host]?.calls.popFirst() else {
        // All its waiting calls were removed meanwhile.
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

  /// A call to the host has ended.
  mutating func landed(_ host: String) {
    lines[host]?.inFlight -= 1
    giveTurn(host)
    forget(host)
  }

  /// Removes and returns the waiting calls that match.
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

  /// The earliest deadline of a waiting call, in steady nanoseconds.
  var firstDeadline: Int64? {
    lines.values.lazy.flatMap { $0.calls.elements.lazy.map(\.deadline) }.min()
  }

  /// Removes the entry of a host without calls, including its name in `turns`; otherwise the name could occur twice.
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

/// A first-in, first-out queue that does not move the rest at each removal.
struct Fifo<Element> {
  private var store: [Element] = []
  /// Elements before it were removed.
  private var head = 0

  var isEmpty: Bool { head == store.count }
  var elements: ArraySlice<Element> { store[head...] }

  mutating func append(_ element: Element) { store.append(element) }

  mutating func popFirst() -> Element? {
    guard head < store.count else { return nil }
    let element = store[head]
    head += 1
    // At most half of the storage is removed elements.
    if head * 2 >= store.count {
      store.removeFirst(head)
      head = 0
    }
    return element
  }
}
