import CNghttp2

extension HTTP2Session {
  /// Approximate number of streams whose withheld increments are remembered; beyond it, closed streams are dropped.
  private static let mostWithheld = 64

  /// Announces a new regular MAX_CONCURRENT_STREAMS; while a limit of `limitStreams` is in force, later, when it is
  /// lifted.
  package func announceStreams(_ count: Int) {
    regularStreams = max(count, 0)
    if !isLimited { _ = announce(regularStreams) }
  }

  /// Ends what `limitStreams` has begun: the regular number is announced, unless it was the last one announced.
  package func liftStreamLimit() {
    isLimited = false
    excessStreams = nil
    if announcedStreams != regularStreams { _ = announce(regularStreams) }
  }

  /// Sends the frame before any response submitted afterwards, because nghttp2 sends SETTINGS first.
  private func announce(_ count: Int) -> Bool {
    guard submit(settings: [(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, believedStreams)]) else { return false }
    limit.announce(count)
    announcedStreams = count
    unsentLimits.append(UInt32(clamping: count))
    return true
  }

  /// Announces another MAX_CONCURRENT_STREAMS than the regular one, until `liftStreamLimit`.
  ///
  /// REFUSED_STREAM means that nothing of a request was processed (RFC 9113 section 8.7). So a request that was handed
  /// over is never refused but answered, however many there are.
  ///
  /// - Parameters:
  ///   - refusesOpen: whether the limit applies at once, acknowledged or not: of the streams whose requests were not
  ///     handed over, the newest beyond it are reset with REFUSED_STREAM, and so is every later one. Otherwise open
  ///     streams finish, and the limit applies when it is acknowledged.
  ///   - excessStreams: the GOAWAY that the first stream beyond the limit causes instead; then the connection ends.
  package func limitStreams(_ count: Int, refusesOpen: Bool = true, excessStreams: ExcessStreams? = nil) {
    let count = max(count, 0)
    self.excessStreams = excessStreams
    isLimited = true
    guard announce(count), refusesOpen else { return }
    limit.holdAtOnce(to: count)
    let waiting = waitingStreams
    for stream in openStreams.prefix(max(openCount - count, 0)) where waiting.contains(stream) {
      counts.refusedStreams += 1
      withdraw(stream, .refused)
      reset(stream, .refusedStream)
    }
  }

  /// Announces a new INITIAL_WINDOW_SIZE, in bytes.
  ///
  /// - Parameter withheld: whether to stop sending WINDOW_UPDATE, also for the connection, whose window begins with
  ///   65,535 bytes. False sends everything withheld before.
  package func setWindow(_ bytes: Int, withheld withholds: Bool) {
    let size = UInt32(min(max(bytes, 0), Int(Int32.max)))
    guard submit(settings: [(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, size)]) else { return }
    limit.announceAgain()
    if withholds {
      withheld = withheld ?? [:]
    } else {
      let late = withheld ?? [:]
      withheld = nil
      for (stream, increment) in late.sorted(by: { $0.key < $1.key }) where stream == 0 || slot(of: stream) != nil {
        _ = send(CustomFrame(windowUpdate: increment), stream: stream)
      }
    }
  }

  /// - Returns: whether the frame is withheld.
  func withhold(windowUpdate frame: UnsafeRawBufferPointer) -> Bool {
    guard withheld != nil else { return false }
    let stream = OutgoingFrame.stream(frame)
    let increment = OutgoingFrame.number(frame, at: OutgoingFrame.headerCount) & 0x7FFF_FFFF
    let sum = (withheld?[stream] ?? 0) + increment
    withheld?[stream] = min(sum, UInt32(Int32.max))
    if let count = withheld?.count, count > Self.mostWithheld {
      withheld = withheld?.filter { $0.key == 0 || nghttp2_session_get_stream_user_data(handle, $0.key) != nil }
    }
    return true
  }
}
