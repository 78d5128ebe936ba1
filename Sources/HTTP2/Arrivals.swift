import WireFormats

/// Requests, and streams without one, that a client has sent and the caller has not taken yet.
struct Arrivals {
  /// Complete requests, in the order of their end.
  private(set) var requests: [IncomingRequest] = []
  /// Streams that were handed over, or are in `requests`, and that the client has reset.
  private(set) var cancelled: [Int32] = []
  private(set) var ignored: [Int32] = []
  private(set) var unserved: [UnservedStream] = []
  private(set) var counters = SessionCounters()
  private var malformedCount = 0

  var streams: Set<Int32> { Set(requests.map(\.stream)) }

  /// Bytes of the requests. Usually 0, except on a frozen connection.
  var heldBytes: Int { requests.isEmpty ? 0 : requests.reduce(0) { $0 + $1.request.storage.count } }

  // MARK: What the client has sent

  mutating func requestEnded(_ request: IncomingRequest) {
    counters.requests += 1
    requests.append(request)
  }

  mutating func cancel(_ stream: Int32) {
    counters.cancelledStreams += 1
    cancelled.append(stream)
  }

  /// A stream was opened above the last one that is served.
  mutating func ignore(_ stream: Int32) {
    counters.ignoredStreams += 1
    ignored.append(stream)
  }

  /// A stream beyond the limit was opened, and is answered with a GOAWAY.
  mutating func streamExceeded() { counters.refusedStreams += 1 }

  mutating func refuse(_ stream: Int32, _ why: UnservedStream.Reason) {
    counters.refusedStreams += 1
    unserved.append(UnservedStream(stream, why))
  }

  /// A stream failed by an invalid request. Reports the first, the tenth, the hundredth and so on.
  mutating func reject(_ stream: Int32, malformed why: StaticString) {
    malformedCount += 1
    var power = 1
    while power < malformedCount, power < 1_000_000_000 { power *= 10 }
    if power == malformedCount {
      unserved.append(UnservedStream(stream, .malformed("\(why)", count: malformedCount)))
    }
  }

  mutating func headerListExceeded() { counters.oversizeHeaderLists += 1 }

  /// Drops a request that was not handed over, or is still arriving.
  mutating func withdraw(_ stream: Int32, _ why: UnservedStream.Reason) {
    requests.removeAll { $0.stream == stream }
    unserved.append(UnservedStream(stream, why))
  }

  /// Refuses a request that was not handed over, or is still arriving, because of a new limit on streams.
  mutating func withdrawExcess(_ stream: Int32) {
    counters.refusedStreams += 1
    withdraw(stream, .refused)
  }

  // MARK: What the caller has taken

  /// The storage is reused.
  mutating func clear() {
    requests.removeAll(keepingCapacity: true)
    cancelled.removeAll(keepingCapacity: true)
  }

  /// The caller has taken the first `count` requests, and the cancellations.
  mutating func handedOver(_ count: Int) {
    guard count < requests.count else { return clear() }
    requests.removeFirst(count)
    withdrawCancelled()
    cancelled.removeAll(keepingCapacity: true)
  }

  /// Drops waiting requests that the client has reset; neither list contains them any more.
  mutating func withdrawCancelled() {
    guard !cancelled.isEmpty else { return }
    let (gone, waiting) = (Set(cancelled), streams)
    requests.removeAll { gone.contains($0.stream) }
    cancelled.removeAll { waiting.contains($0) }
  }

  mutating func takeUnserved() -> [UnservedStream] {
    defer { unserved = [] }
    return unserved
  }

  mutating func takeIgnored() -> [Int32] {
    defer { ignored = [] }
    return ignored
  }
}
