import CNghttp2

extension HTTP2Session {
  /// Streams whose withheld increments are remembered, about; those of closed streams are forgotten beyond it.
  private static let mostWithheld = 64

  /// Announces another MAX_CONCURRENT_STREAMS.
  ///
  /// REFUSED_STREAM says that nothing of a request was processed (RFC 9113 section 8.7), so a request that was handed
  /// out is never refused: it is answered, however many there are.
  ///
  /// - Parameters:
  ///   - refusesOpen: the client is held to it at once, acknowledged or not: of the streams whose requests were not
  ///     handed out, the newest ones beyond it are reset with REFUSED_STREAM, and so is every later one. Otherwise
  ///     open streams finish, and it holds when it is acknowledged.
  ///   - excessStreams: what the first stream that comes beyond it brings about instead: a GOAWAY, after which the
  ///     connection ends.
  package func limitStreams(_ count: Int, refusesOpen: Bool = true, excessStreams: ExcessStreams? = nil) {
    let count = max(count, 0)
    self.excessStreams = excessStreams
    guard submit(settings: [(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, believedStreams)]) else { return }
    limit.announce(count)
    unsentLimits.append(UInt32(clamping: count))
    guard refusesOpen else { return }
    limit.holdAtOnce(to: count)
    let waiting = waitingStreams
    for stream in openStreams.prefix(max(openCount - count, 0)) where waiting.contains(stream) {
      counts.refusedStreams += 1
      withdraw(stream, .refused)
      reset(stream, .refusedStream)
    }
  }

  /// Announces another INITIAL_WINDOW_SIZE, in bytes.
  ///
  /// - Parameter withheld: from now on no WINDOW_UPDATE leaves, also not for the connection, whose window is 65,535
  ///   bytes to begin with. False lets go what was withheld before.
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

  /// - Returns: whether the frame stays here.
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
