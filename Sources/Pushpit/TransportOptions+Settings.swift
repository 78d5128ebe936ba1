import Configuration
import HTTP2
import Transport

extension TransportOptions {
  init(_ wire: WireSettings, cores: Int) {
    self.init()
    loops = wire.loops ?? cores
    limits.connections = wire.maxConnections
    limits.handshake = wire.handshakeTimeout
    limits.idle = wire.idleTimeout
    limits.writeStall = wire.writeStall
    limits.held = wire.totalBytes
    session.heldLimit = wire.connectionBytes
    session.announcedStreams = wire.initialStreams
    session.strictStreams = wire.strictStreams
    session.oversizeHeaders =
      switch wire.headerOverflow {
      case .answer431: .answer431
      case .reset: .reset
      }
  }
}

extension AppCallerOptions {
  init(_ calls: CallSettings) {
    self.init()
    allowedHosts = calls.allowedHosts
    connections = calls.connections
    queue = calls.queue
  }
}
