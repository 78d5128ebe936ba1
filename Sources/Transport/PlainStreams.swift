import CLibevent

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Supplies a long answer, part by part. Used on the main loop.
package protocol PlainFeed: AnyObject, Sendable {
  /// Returns the part to be sent now.
  func next() -> FeedPart
}

/// A part of a long answer.
package enum FeedPart: Hashable, Sendable {
  /// There is more, but not yet: the feed is asked again at the next round. The bytes may be empty.
  case now([UInt8])
  /// There is more: the feed is asked again as soon as these bytes are written.
  case more([UInt8])
  /// The bytes that complete the answer.
  case last([UInt8])

  package var bytes: [UInt8] {
    switch self {
    case .now(let bytes), .more(let bytes), .last(let bytes): bytes
    }
  }
}

/// The answers of a `PlainServer` that are sent part by part. Used on the main loop.
///
/// Each feed is asked 20 times a second, or as soon as its last part is written, but never while its client has not
/// read what was sent before; a client that reads nothing for long is disconnected. So a client costs a bounded number
/// of bytes.
final class PlainStreams {
  private final class Stream {
    let request: UnsafeMutablePointer<evhttp_request>
    /// Kept, because libevent detaches a request before it reports that the connection is closed.
    let connection: OpaquePointer
    let feed: any PlainFeed
    /// The number of bytes that wait to be sent, and of rounds in a row in which it has not fallen.
    var waiting = 0
    var stalled = 0
    /// True if the feed is asked when the last part is written, not at the next round.
    var asksWhenWritten = false

    init(_ request: UnsafeMutablePointer<evhttp_request>, on connection: OpaquePointer, _ feed: any PlainFeed) {
      self.request = request
      self.connection = connection
      self.feed = feed
    }
  }

  private static let period: Duration = .milliseconds(50)
  /// Bytes that may wait before a feed is asked for more.
  private static let mostWaiting = 64 * 1024
  /// Size of a client's socket buffer in bytes: the kernel holds these in addition.
  private static let socketBuffer: Int32 = 128 * 1024
  /// Bytes that a client may send meanwhile.
  private static let mostInput = 4096
  /// Rounds, which are 15 seconds.
  private static let mostStalled = 300

  private let main: MainLoop
  private let connections: PlainConnections
  private var streams: [Stream] = []
  private var timer: LoopTimer?

  init(on main: MainLoop, _ connections: PlainConnections) {
    self.main = main
    self.connections = connections
  }

  /// Forgets all streams, before their connections are freed.
  func end() {
    timer?.cancel()
    timer = nil
    for stream in streams { evhttp_connection_set_closecb(stream.connection, nil, nil) }
    streams = []
  }

  /// Begins an answer whose headers are set.
  func begin(_ request: UnsafeMutablePointer<evhttp_request>, status: Int, _ feed: any PlainFeed) {
    guard let connection = evhttp_request_get_connection(request) else { return }
    if let buffers = evhttp_connection_get_bufferevent(connection) {
      // The client sends nothing more, so silence is no reason to disconnect it.
      bufferevent_set_timeouts(buffers, nil, nil)
      bufferevent_setwatermark(buffers, Int16(EV_READ), 0, Self.mostInput)
      var size = Self.socketBuffer
      setsockopt(bufferevent_getfd(buffers), SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    connections.setStreaming(request)
    connections.answer(request) { evhttp_send_reply_start(request, Int32(status), nil) }
    let stream = Stream(request, on: connection, feed)
    streams.append(stream)
    send(feed.next(), on: stream)
    if timer == nil { timer = main.every(Self.period) { [unowned self] in round() } }
  }

  /// Forgets the streams of a connection that is closed.
  func forget(_ connection: OpaquePointer) {
    for stream in streams where stream.connection == connection {
      // Detached from the connection, it is ours to free.
      if evhttp_request_get_connection(stream.request) == nil { evhttp_request_free(stream.request) }
    }
    streams.removeAll { $0.connection == connection }
    if streams.isEmpty {
      timer?.cancel()
      timer = nil
    }
  }

  private func round() {
    for stream in streams {
      guard let buffers = evhttp_connection_get_bufferevent(stream.connection) else { continue }
      let waiting = evbuffer_get_length(bufferevent_get_output(buffers))
      stream.stalled = waiting > 0 && waiting >= stream.waiting ? stream.stalled + 1 : 0
      stream.waiting = waiting
      // evhttp notices the end itself, but not behind more bytes than it reads here.
      if stream.stalled >= Self.mostStalled || Socket(descriptor: bufferevent_getfd(buffers)).otherEndIsGone {
        PlainConnections.close(stream.connection)
      } else if waiting < Self.mostWaiting, !stream.asksWhenWritten {
        send(stream.feed.next(), on: stream)
      }
    }
  }

  private func send(_ part: FeedPart, on stream: Stream) {
    let bytes = part.bytes
    stream.asksWhenWritten = false
    if !bytes.isEmpty, let buffer = evbuffer_new() {
      defer { evbuffer_free(buffer) }
      evbuffer_add(buffer, bytes, bytes.count)
      if case .more = part {
        stream.asksWhenWritten = true
        let context = Unmanaged.passUnretained(self).toOpaque()
        connections.answer(stream.request) {
          evhttp_send_reply_chunk_with_cb(stream.request, buffer, partWritten, context)
        }
      } else {
        connections.answer(stream.request) { evhttp_send_reply_chunk(stream.request, buffer) }
      }
    }
    if case .last = part { end(stream) }
  }

  /// Completes an answer; evhttp frees its request and closes the connection.
  private func end(_ stream: Stream) {
    evhttp_connection_set_closecb(stream.connection, nil, nil)
    streams.removeAll { $0 === stream }
    connections.answer(stream.request) { evhttp_send_reply_end(stream.request) }
    if streams.isEmpty {
      timer?.cancel()
      timer = nil
    }
  }

  fileprivate func written(on connection: OpaquePointer) {
    guard let stream = streams.first(where: { $0.connection == connection }), stream.asksWhenWritten else { return }
    send(stream.feed.next(), on: stream)
  }
}

private let partWritten: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void = { connection, context in
  guard let connection, let context else { return }
  Unmanaged<PlainStreams>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.written(on: connection) }
}
