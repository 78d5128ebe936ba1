import Timeline

/// The latency of answers over a run of any length, in at most 64 windows.
///
/// The windows are a quarter of a second wide at first. When a run no longer fits, neighbors are merged in pairs.
package struct SendingSeries: Sendable {
  package struct Window: Sendable {
    /// Nanoseconds from when a push was due until its answer.
    package fileprivate(set) var latency = Histogram()
    /// Answers other than 200.
    package fileprivate(set) var rejected: UInt64 = 0

    fileprivate mutating func add(_ other: Window) {
      latency.add(other.latency)
      rejected += other.rejected
    }
  }

  package static let most = 64

  /// Nanoseconds of a window.
  package private(set) var width: Int64 = 250_000_000
  /// Steady nanoseconds at which the first window begins; nil before the run has begun.
  package private(set) var began: Int64?
  package private(set) var windows: [Window] = []

  package init() {}

  /// The latency of all answers.
  package var latency: Histogram { windows.reduce(into: Histogram()) { $0.add($1.latency) } }

  package mutating func begin(at now: Int64) { began = now }

  package mutating func count(_ latency: UInt64, isRejected: Bool, at now: Int64) {
    let began = self.began ?? now
    self.began = began
    let passed = max(0, now - began)
    while passed / width >= Int64(Self.most) { widen() }
    let place = Int(passed / width)
    while windows.count <= place { windows.append(Window()) }
    windows[place].latency.add(latency)
    if isRejected { windows[place].rejected += 1 }
  }

  /// Adds the answers of another loop of the run.
  package mutating func add(_ other: SendingSeries) {
    guard let began, let othersBegan = other.began else {
      if began == nil { self = other }
      return
    }
    guard began <= othersBegan else {
      let mine = self
      self = other
      return add(mine)
    }
    var other = other
    while width < other.width { widen() }
    while other.width < width { other.widen() }
    while (othersBegan - began) / width + Int64(other.windows.count) > Int64(Self.most) {
      widen()
      other.widen()
    }
    let shift = Int((othersBegan - began) / width)
    for (place, window) in other.windows.enumerated() {
      while windows.count <= shift + place { windows.append(Window()) }
      windows[shift + place].add(window)
    }
  }

  /// The windows merged until there are at most so many, for a chart.
  package func merged(to most: Int) -> SendingSeries {
    var series = self
    while series.windows.count > max(1, most) { series.widen() }
    return series
  }

  private mutating func widen() {
    width *= 2
    for place in windows.indices where place % 2 == 1 { windows[place - 1].add(windows[place]) }
    windows = windows.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
  }
}
