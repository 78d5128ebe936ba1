import APNs
import Grammar
import Signing
import Simulation

/// The description of a certificate to be made.
public struct ProviderCertificateOrder: Sendable {
  /// A deliberate flaw.
  enum Flaw: String, CaseIterable, Sendable {
    case expired
    case revoked
    case unknownAuthority
    /// Without Apple's extensions.
    case noExtension
  }

  let kind: ProviderCertificate.Kind
  let app: String
  let password: String
  let flaw: Flaw?

  public static let kinds = ProviderCertificate.Kind.allCases.map(\.rawValue)
  public static let flaws = Flaw.allCases.map(\.rawValue)

  /// Validates the user's input; the problem's place is the flag.
  ///
  /// - Parameter topic: a bundle id; for device management the whole topic, random if nil.
  public init(kind: String, topic: String?, password: String, flaw: String?) throws(InputProblem) {
    guard let kind = ProviderCertificate.Kind(rawValue: kind) else {
      throw InputProblem(
        "--kind",
        "the kind of a certificate must be \(Self.list(Self.kinds)), not \"\(kind)\""
          + Wording.suggestion(for: kind, among: Self.kinds))
    }
    if let flaw, Flaw(rawValue: flaw) == nil {
      throw InputProblem(
        "--flaw",
        "a flaw must be \(Self.list(Self.flaws)), not \"\(flaw)\""
          + Wording.suggestion(for: flaw, among: Self.flaws))
    }
    self.kind = kind
    self.flaw = flaw.flatMap(Flaw.init)
    self.password = password
    guard let topic = topic ?? (kind == .mdm ? Self.managementTopic() : nil) else {
      throw InputProblem("--topic", "say for which app it is, such as --topic com.example.app.")
    }
    guard let read = Topic(topic), read.suffix == .none else {
      throw InputProblem(
        "--topic", "a topic must be the bundle id of an app, without a suffix such as .voip, not \"\(topic)\".")
    }
    let isManagement = topic.hasPrefix(ProviderCertificate.managementPrefix)
    guard isManagement == (kind == .mdm) else {
      throw InputProblem(
        "--topic",
        kind == .mdm
          ? "a topic of device management begins with \(ProviderCertificate.managementPrefix)External., not"
            + " \"\(topic)\"."
          : "\(topic) is a topic of device management; --kind mdm makes a certificate for it.")
    }
    app = topic
  }

  private static func list(_ words: [String]) -> String {
    words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
  }

  private static func managementTopic() -> String {
    let bytes = (0..<16).map { _ in UInt8.random(in: 0...255) }
    let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
    var uuid = ""
    for (place, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(place) { uuid += "-" }
      uuid.append(digit)
    }
    return "\(ProviderCertificate.managementPrefix)External.\(uuid)"
  }

  var fileName: String { "\(app)-\(kind.rawValue)" + (flaw.map { "-\($0.rawValue)" } ?? "") }

  /// - Parameters:
  ///   - notBefore: in Unix seconds.
  ///   - notAfter: in Unix seconds.
  func request(notBefore: Int64, notAfter: Int64) -> PushCertificateRequest {
    // RFC 5280, appendix A: ub-common-name is 64.
    let name = kind == .mdm ? String(app.split(separator: ".").last ?? "") : app
    var request = PushCertificateRequest(
      uid: kind.uid(of: app), commonName: String((kind.commonNamePrefix + name).prefix(64)),
      teamID: FleetPlan.standardTeam, notBefore: notBefore, notAfter: notAfter)
    request.hasAppleExtensions = flaw != .noExtension
    request.isForDevelopment = kind.environments.contains(.sandbox)
    request.isForProduction = kind.environments.contains(.production)
    request.topics = kind.listedTopics(of: app)
    request.voipTopic = kind == .voip ? kind.uid(of: app) : nil
    return request
  }
}
