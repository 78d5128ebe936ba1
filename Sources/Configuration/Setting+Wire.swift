import APNs
import Simulation

extension Setting {
  static let wire: [Setting] = [
    Setting(
      "wire.loops", at: \.wire.loops, as: .wholeOrNone(0...256), flag: "loops",
      "Number of threads that serve connections; 0: one per core."),
    Setting(
      "wire.maxConnections", at: \.wire.maxConnections, as: .whole(1...1_000_000),
      "Maximum number of open connections."),
    Setting(
      "wire.handshakeTimeout", at: \.wire.handshakeTimeout, as: .duration,
      "Maximum duration of a TLS handshake, and of the HTTP/2 preface and SETTINGS that follow it."),
    Setting(
      "wire.idleTimeout", at: \.wire.idleTimeout, as: .duration,
      "How long a connection may be idle before it is closed with IdleTimeout.",
      grounds: .assumed("the reason is documented, the time is not")),
    Setting(
      "wire.writeStall", at: \.wire.writeStall, as: .duration,
      "How long a client may read nothing while answers wait for its socket or HTTP/2 window."),
    Setting(
      "wire.connectionBytes", at: \.wire.connectionBytes, as: .whole(65_536...1_099_511_627_776),
      "Maximum number of bytes held for one connection's requests and answers. Beyond it, new streams get"
        + " REFUSED_STREAM."),
    Setting(
      "wire.totalBytes", at: \.wire.totalBytes, as: .whole(65_536...1_099_511_627_776),
      "The same for all connections together. Connections that hold at most 16 KiB are exempt."),
    Setting(
      "wire.drainTime", at: \.wire.drainTime, as: .duration, flag: "drain-time",
      "How long open requests may take after SIGTERM."),
    Setting(
      "wire.initialStreams", at: \.wire.initialStreams, as: .whole(1...1000), flag: "initial-streams",
      "MAX_CONCURRENT_STREAMS before a provider token is accepted.",
      grounds: .observed("1, in captures of Apple's first SETTINGS frame")),
    Setting(
      "wire.authorisedStreams", at: \.wire.authorisedStreams, as: .whole(1...1000),
      "MAX_CONCURRENT_STREAMS after that.", grounds: .observed("1000, in a curl trace of 2022")),
    Setting(
      "wire.streamsAfterRejection", at: \.rulebook.narrowsStreams, as: .choice(["keep": false, "one": true]),
      "Whether a connection keeps its limit of streams after a rejected request, except 410, or gets one stream until"
        + " the next request is accepted.",
      grounds: .observed(
        "pushy issue 732: the limit fell to 1 after a rejection; Apple only says that errors slow a sender down"
          + " (docs/behavior/connections.md#streams-taken-back)")),
    Setting(
      "wire.strictStreams", at: \.wire.strictStreams, as: .truth, flag: "strict-streams",
      "Refuse streams beyond the announced number even in a burst that was sent before the client could know it."),
    Setting(
      "wire.headerOverflow", at: \.wire.headerOverflow, as: .choice(["431": .answer431, "reset": .reset]),
      "Reaction to a header list of more than 8000 bytes.",
      grounds: .assumed("the limit is announced; the reaction was not measured")),
    Setting(
      "wire.chain", at: \.wire.chain, as: .optional("sound", or: .word), flag: "chain",
      "The certificate chain that providers get. `secondRoot` is valid, but signed by `ca-second.pem` of the state"
        + " folder; clients must reject the last three."),
  ]
}
