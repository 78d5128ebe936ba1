import APNs
import Grammar

extension Form where Value == Bool {
  static let freePorts = Form("0") { text in
    guard text == "0" else { throw ValueProblem(wanted: "0, which means any free port for every listener") }
    return true
  } write: {
    $0 ? "0" : ""
  }
}

extension Settings {
  /// True if the system chooses all ports. Setting it to false changes nothing.
  public var takesFreePorts: Bool {
    get { [sandboxPort, productionPort, channelsPort, productionChannelsPort, adminPort].allSatisfy { $0 == 0 } }
    set {
      guard newValue else { return }
      (sandboxPort, productionPort, channelsPort, productionChannelsPort, adminPort) = (0, 0, 0, 0, 0)
    }
  }
}

extension Setting {
  static let listening: [Setting] = [
    Setting(
      "listen.host", at: \.host, as: .text("address"), flag: .init("host", environment: "PUSHPIT_HOST"),
      "Address to listen on. The admin API has no password, so be careful with anything but loopback."),
    Setting(
      "listen.productionHost", at: \.productionHost, as: .ifAny(.text("address")),
      flag: .init("production-host", environment: "PUSHPIT_PRODUCTION_HOST"),
      "Address of production's two listeners, so that both environments can have Apple's port 443. Default:"
        + " listen.host."),
    Setting(
      "listen.ports", at: \.takesFreePorts, as: .freePorts, flag: .init("ports", environment: "PUSHPIT_PORTS"),
      "0: any free port for every listener without its own port setting; the ready line names them."
    ).ranked(.preset),
    Setting(
      "listen.sandbox", at: \.sandboxPort, as: .port, flag: .init("port", environment: "PUSHPIT_PORT"),
      "Port of the sandbox, like api.sandbox.push.apple.com:2197. 0: any free port."),
    Setting(
      "listen.production", at: \.productionPort, as: .port,
      flag: .init("production-port", environment: "PUSHPIT_PRODUCTION_PORT"),
      "Port of production, like api.push.apple.com."),
    Setting(
      "listen.channels", at: \.channelsPort, as: .port,
      flag: .init("channels-port", environment: "PUSHPIT_CHANNELS_PORT"),
      "Port of the sandbox's channel management, like api-manage-broadcast.sandbox.push.apple.com:2195."),
    Setting(
      "listen.productionChannels", at: \.productionChannelsPort, as: .port,
      flag: .init("production-channels-port", environment: "PUSHPIT_PRODUCTION_CHANNELS_PORT"),
      "Port of production's channel management, like api-manage-broadcast.push.apple.com:2196."),
    Setting(
      "listen.admin", at: \.adminPort, as: .port, flag: .init("admin-port", environment: "PUSHPIT_ADMIN_PORT"),
      "Port of the admin API (plain HTTP, loopback)."),
    Setting(
      "listen.relay", at: \.relay, as: .optional("off", or: .relay), flag: .init("relay", environment: "PUSHPIT_RELAY"),
      "Port (of 127.0.0.1), address and port, or path of a Unix socket for a load balancer that ends TLS, such as that"
        + " of `pushpit cells haproxy`. Its field `client-cert` says who a client is, so let nobody else reach the"
        + " port."),
    Setting(
      "listen.shareKeys", at: \.sharesKeys, as: .truth, flag: "share-keys",
      "Return the private keys that Pushpit made (`GET /v1/keys`) to everyone who can reach the admin API, as a server"
        + " in a container must. Otherwise only programs of the server's own user on its machine get them."),
    Setting(
      "names", at: \.certificateNames, as: .names("host,…"), flag: .init("name", environment: "PUSHPIT_NAME"),
      "Names and addresses of the certificate, in addition to localhost and Apple's; see `pushpit certs`. The admin"
        + " API is available under these names too."),
    Setting(
      "state", at: \.state, as: .ifAny(.text("folder")), flag: .init("state", environment: "PUSHPIT_STATE"),
      "Folder for certificates and keys, created on first start. Default: `~/.local/state/pushpit`."),
  ]
}
