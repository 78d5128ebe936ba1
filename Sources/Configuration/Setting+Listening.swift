import APNs
import Grammar

extension Form where Value == Bool {
  static let freePorts = Form("0") { text in
    guard text == "0" else { throw ValueProblem(wanted: "0: any free port for every listener") }
    return true
  } write: {
    $0 ? "0" : ""
  }
}

extension Settings {
  /// Whether the system chooses all ports.
  var takesFreePorts: Bool {
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
      "listen.host", \.host, .text("address"), flag: "host", environment: "PUSHPIT_HOST",
      "Address to listen on. The admin API has no password: think before you leave loopback."),
    Setting(
      "listen.ports", \.takesFreePorts, .freePorts, flag: "ports", environment: "PUSHPIT_PORTS",
      "0 takes any free port for every listener that is given none of its own; the ready line tells them.",
      rank: .preset),
    Setting(
      "listen.sandbox", \.sandboxPort, .port, flag: "port", environment: "PUSHPIT_PORT",
      "Port of the sandbox, as api.sandbox.push.apple.com:2197. 0 takes any free one."),
    Setting(
      "listen.production", \.productionPort, .port, flag: "production-port", environment: "PUSHPIT_PRODUCTION_PORT",
      "Port of production, as api.push.apple.com."),
    Setting(
      "listen.channels", \.channelsPort, .port, flag: "channels-port", environment: "PUSHPIT_CHANNELS_PORT",
      "Port of the sandbox's channel management, as api-manage-broadcast.sandbox.push.apple.com:2195."),
    Setting(
      "listen.productionChannels", \.productionChannelsPort, .port, flag: "production-channels-port",
      environment: "PUSHPIT_PRODUCTION_CHANNELS_PORT",
      "Port of production's channel management, as api-manage-broadcast.push.apple.com:2196."),
    Setting(
      "listen.admin", \.adminPort, .port, flag: "admin-port", environment: "PUSHPIT_ADMIN_PORT",
      "Port of the admin API (plain HTTP, loopback)."),
    Setting(
      "names", \.certificateNames, .names("host,…"), flag: "name",
      "Names and addresses the certificate is to be good for, beside localhost and Apple's; see `pushpit certs`."),
    Setting(
      "state", \.state, .ifAny(.text("folder")), flag: "state", environment: "PUSHPIT_STATE",
      "Folder for certificates and keys, made on first start; without one, `~/.local/state/pushpit`."),
  ]
}
