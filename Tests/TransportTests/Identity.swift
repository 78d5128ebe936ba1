import Foundation
import TestSupport

/// Certificates made by OpenSSL's command once for all tests.
struct Identity {
  let certificate: String
  let key: String
  let certificatePath: String
  let keyPath: String

  static let server = make("localhost")
  static let other = make("other")
  static let client = make("provider")
  static let elsewhere = make("elsewhere", for: "DNS:elsewhere.test")

  private static let folder: String = {
    let folder = NSTemporaryDirectory() + "pushpit-transport-\(ProcessInfo.processInfo.processIdentifier)"
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
  }()

  private static func make(_ name: String, for names: String = "DNS:localhost,IP:127.0.0.1") -> Identity {
    let (certificate, key) = ("\(folder)/\(name).pem", "\(folder)/\(name).key")
    _ = try? Program.blockingRun([
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
      "-out", certificate, "-days", "2", "-subj", "/O=Pushpit/CN=\(name)", "-addext",
      "subjectAltName=\(names)",
    ])
    return Identity(certificate: read(certificate), key: read(key), certificatePath: certificate, keyPath: key)
  }

  private static func read(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
}
