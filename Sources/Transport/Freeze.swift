/// The fault of a frozen connection, which simulates a stopped server or an interrupted path: nothing is sent.
///
///     answering PINGs ◀──────▶ solid
///
/// Earlier orders are still carried out. Later orders, and what the client sends, wait until the connection is thawed,
/// as after a pause of the machine. Nothing waits without limit: on a solid one nothing is read, so the socket's
/// buffers fill up. Where PINGs are answered, requests wait up to the limit on streams, and frames up to the limit on
/// unwritten bytes; beyond it, the connection freezes solid.
struct Freeze {
  /// Set while it is solid: fires when data arrives, once each time.
  private var watch: LoopEvent?
  /// Frames that were not written.
  private(set) var held: [UInt8] = []

  var isSolid: Bool { watch != nil }

  mutating func hold(_ frames: [UInt8]) { held += frames }

  mutating func answerPings() { watch = nil }

  mutating func harden(_ watch: LoopEvent) { self.watch = watch }
}
