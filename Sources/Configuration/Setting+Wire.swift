import HTTP2
import Transport

extension Setting {
  static let wire: [Setting] = [
    Setting(
      "wire.loops", \.loops, .wholeOrNone(0...256), flag: "loops",
      "Threads that serve connections; 0 for one per core."),
    Setting(
      "wire.maxConnections", \.transport.limits.connections, .whole(1...1_000_000), flag: "max-connections",
      "Connections that may be open at once."),
    Setting(
      "wire.handshakeTimeout", \.transport.limits.handshake, .duration, flag: "handshake-timeout",
      "How long a TLS handshake may take."),
    Setting(
      "wire.idleTimeout", \.transport.limits.idle, .duration, flag: "idle-timeout",
      "How long a connection may be silent before it is closed with IdleTimeout.",
      .assumed("the reason is documented, the time is not")),
    Setting(
      "wire.writeStall", \.transport.limits.writeStall, .duration, flag: "write-stall",
      "How long a client may take nothing while answers wait for it, be it the socket or an HTTP/2 window."),
    Setting(
      "wire.connectionBytes", \.transport.session.heldLimit, .whole(65_536...1_099_511_627_776),
      "Bytes one connection may hold for requests and answers. Beyond it new streams get REFUSED_STREAM."),
    Setting(
      "wire.totalBytes", \.transport.limits.held, .whole(65_536...1_099_511_627_776),
      "The same for all connections together. One that holds 16 KiB or less is served all the same."),
    Setting(
      "wire.drainTime", \.drainTime, .duration, flag: "drain-time",
      "How long SIGTERM waits for what is in flight before it closes everything."),
    Setting(
      "wire.initialStreams", \.transport.session.announcedStreams, .whole(1...1000), flag: "initial-streams",
      "Streams announced before a provider token has passed.",
      .observed("1, in captures of Apple's first SETTINGS frame")),
    Setting(
      "wire.authorisedStreams", \.authorisedStreams, .whole(1...1000), flag: "authorised-streams",
      "Streams announced after it.", .observed("1000, in a curl trace of 2022")),
    Setting(
      "wire.strictStreams", \.transport.session.strictStreams, .truth, flag: "strict-streams",
      "Refuse streams beyond the announced number even in a burst sent before the client can know it."),
    Setting(
      "wire.headerOverflow", \.transport.session.oversizeHeaders, .choice(["431": .answer431, "reset": .reset]),
      flag: "header-overflow", "Reaction to a header list over 8000 bytes.",
      .assumed("the limit is announced, the reaction beyond it was not measured")),
  ]
}
