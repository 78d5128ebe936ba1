import Configuration
import HTTP2
import Testing
import Transport

@testable import Pushpit

@Suite("What settings say of the wire")
struct TransportOptionsTests {
  @Test("the defaults of settings are those of the sockets")
  func defaults() {
    let options = TransportOptions(WireSettings(), cores: 4)
    #expect(options.limits == TransportLimits() && options.session == SessionOptions() && options.loops == 4)
    #expect(AppCallerOptions(CallSettings()) == AppCallerOptions())
  }

  @Test("each setting reaches the sockets")
  func values() {
    var wire = WireSettings()
    wire.loops = 3
    wire.maxConnections = 11
    wire.handshakeTimeout = .seconds(12)
    wire.idleTimeout = .seconds(13)
    wire.writeStall = .seconds(14)
    wire.connectionBytes = 15
    wire.totalBytes = 16
    wire.initialStreams = 17
    wire.strictStreams = true
    wire.headerOverflow = .reset
    let options = TransportOptions(wire, cores: 4)
    let limits = options.limits
    #expect(options.loops == 3 && limits.connections == 11 && limits.held == 16)
    #expect(limits.handshake == .seconds(12) && limits.idle == .seconds(13) && limits.writeStall == .seconds(14))
    let session = options.session
    #expect(session.heldLimit == 15 && session.announcedStreams == 17 && session.strictStreams)
    #expect(session.oversizeHeaders == .reset)
    let others = zip(Mirror(reflecting: wire).children, Mirror(reflecting: WireSettings()).children)
      .filter { "\($0.value)" == "\($1.value)" }.compactMap(\.0.label)
    #expect(others == ["drainTime", "authorisedStreams", "chain"], "what else is to reach the sockets belongs above")

    var calls = CallSettings()
    calls.allowedHosts = ["backend.example"]
    calls.connections = 2
    calls.queue = 3
    let caller = AppCallerOptions(calls)
    #expect(caller.allowedHosts == ["backend.example"] && caller.connections == 2 && caller.queue == 3)
  }
}
