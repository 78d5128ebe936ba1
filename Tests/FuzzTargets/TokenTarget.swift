import APNs
import Devices
import Scenarios
import Signing
import Simulation
import WireFormats

/// Provider tokens before a gate with a real key: nothing but what that key has signed may pass.
struct TokenTarget {
  /// The public half of a key that has signed one text, `signed`, and was thrown away.
  private static let pem = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEJKgtedihLP0yBHFuZfF0MzEw3nHy
    wtL4cW1/AdhDHaGOTFqT8hdRjTKZwsfzhVcCu6C7jyeOvDeAeeMrj0ysmA==
    -----END PUBLIC KEY-----
    """
  static let signed =
    "eyJhbGciOiJFUzI1NiIsImtpZCI6IktFWTAwMDAwMDEifQ."
    + "eyJpc3MiOiJQVVNIUElUMDAxIiwiaWF0IjoxNzAwMDAwMDAwfQ"

  /// The first byte tells what the rest is: a token; the parts of one, a line each; or a whole header.
  static func run(_ bytes: [UInt8]) throws(FuzzFinding) {
    var choices = Choices(bytes)
    let form = choices.below(3)
    let rest = choices.run(.max / 2)
    let text: [UInt8]
    switch form {
    case 0: text = Array("bearer ".utf8) + rest
    case 1:
      let parts = rest.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
      text = Array("bearer ".utf8) + Array(parts.map { Base64URL.encode($0) }.joined(separator: ".").utf8)
    default: text = rest
    }
    let token = Array(text.dropFirst(7))
    let loose = try? ProviderToken(token.span, 0..<token.count, strict: false)
    let strict = try? ProviderToken(token.span, 0..<token.count, strict: true)
    try FuzzFinding.require(strict == nil || strict == loose, "a token is read in two ways")
    try FuzzFinding.require((loose?.signedCount ?? 0) <= token.count, "more is signed than there is")
    let authorization = String(decoding: text, as: UTF8.self)
    guard try passes(authorization) else { return }
    try FuzzFinding.require(
      authorization.dropFirst(7).hasPrefix(signed + "."), "a token passed that the key has not signed")
  }

  static func passes(_ authorization: String) throws(FuzzFinding) -> Bool {
    guard let key = try? VerifyingKey(pem: pem, from: "key") else { throw FuzzFinding("the key is none") }
    let ring = KeyRing(
      keys: [ProviderKey(keyID: "KEY0000001", teamID: Town.team, environments: [.sandbox])],
      apps: [(bundleID: Town.app, teamID: Town.team)]
    ) { _, signed, signature in
      switch signature {
      case .raw(let bytes): key.accepts(raw: bytes, of: signed)
      case .der(let bytes): key.accepts(der: bytes, of: signed)
      }
    }
    var town = Town(ring: ring)
    try town.settle()
    let token = town.simulator.world.fleet.token(DeviceID(0), app: 0, slot: .app)?.text ?? ""
    try town.send(
      "/3/device/" + token, [(name: "apns-topic", value: Town.app)], Array(#"{"aps":{"alert":"x"}}"#.utf8),
      authorization: authorization)
    guard let record = town.simulator.readers.logs.pushLog.list(Filter(), before: nil, limit: 1).pushes.first
    else {
      throw FuzzFinding("the push is not in the ledger")
    }
    return record.answer.rejection == nil
  }
}
