import APNs
import Grammar
import Reporting
import Simulation
import Timeline
import WireFormats

/// A call as JSON, the form in which tapes store all calls but requests and steps of time. Orders are in the grammar of
/// the admin API (`CommandText`).
///
///     {"opened": 3, "environment": "sandbox", "peer": "127.0.0.1:50000", "managesChannels": true, "certificate": {…}}
///     {"push": 7, "connection": 3, "sent": "reset", "detail": "REFUSED_STREAM"}
///     {"ended": 9, "status": 200, "body": "{\"id\":1}"}, {"ended": 9, "failure": "timedOut", "sentence": …}
enum CallText {
  private static let opening = ["opened", "environment", "peer", "managesChannels", "certificate"]
  private static let answer = ["push", "connection", "sent", "detail"]
  private static let end = ["ended", "status", "body", "failure", "sentence"]
  private static let certificate = [
    "subject", "topics", "environments", "notBefore", "notAfter", "flaw", "otherKey", "fingerprint",
  ]
  /// Flaws of a certificate without a detail.
  private static let flaws: [(name: String, value: ProviderCertificate.Flaw)] = [
    ("unreadable", .unreadable), ("noAppleExtension", .noAppleExtension), ("noTopic", .noTopic),
    ("unknownAuthority", .unknownAuthority), ("revoked", .revoked),
  ]

  /// Nil for a call that tapes store otherwise.
  static func json(_ call: WorldCall) -> JSONValue? {
    var object = ObjectWriter()
    switch call {
    case .opened(let id, let environment, let peer, let managesChannels, let certificate):
      object.put("opened", json(id.number))
      object.put("environment", environment.rawValue)
      object.put("peer", peer)
      object.put("managesChannels", if: managesChannels)
      object.put("certificate", certificate.map(json))
    case .answerWent(let push, let connection, let sent):
      object.put("push", json(push))
      object.put("connection", json(connection.number))
      object.put("sent", sent.name)
      object.put("detail", sent.detail)
    case .performed(.answer(let call, let outcome)):
      object.put("ended", json(call))
      switch outcome {
      case .answered(let status, let body):
        object.put("status", status)
        // As text, because it can be nested as deeply as a reader permits.
        object.put("body", body?.text)
      case .failed(let failure, let sentence):
        object.put("failure", failure.rawValue)
        object.put("sentence", sentence)
      }
    case .performed(let command): return CommandText.json(command)
    case .received, .closed, .stepped, .waved: return nil
    }
    return object.json
  }

  static func read(_ json: JSONValue) throws(InputProblem) -> WorldCall {
    let node = SourceNode(json)
    if json["opened"] != nil { return try opening(Fields(node, "an opened connection", known: opening)) }
    if json["sent"] != nil { return try answer(Fields(node, "a sent answer", known: answer)) }
    if json["ended"] != nil { return .performed(try end(Fields(node, "the end of a call", known: end))) }
    return .performed(try CommandText.read(json))
  }

  private static func opening(_ fields: Fields) throws(InputProblem) -> WorldCall {
    .opened(
      try connection("opened", fields), try fields.neededChoice("environment", environments),
      peer: try fields.needed("peer", "the client's address"),
      managesChannels: try fields.truth("managesChannels") ?? false,
      try fields["certificate"].map { node throws(InputProblem) in
        try certificate(Fields(node, "certificate", known: certificate))
      })
  }

  private static func answer(_ fields: Fields) throws(InputProblem) -> WorldCall {
    let detail = try fields.needed("detail", "what was sent")
    let sent: SentAnswer? =
      switch try fields.needed("sent", "the kind of answer") {
      case "answer": status(detail).map { .answer(status: $0) }
      case "malformed": status(detail).map { .malformed(status: $0) }
      case "incomplete": status(detail).map { .incomplete(status: $0) }
      case "reset": HTTP2ErrorName.all.firstIndex(of: detail).map { .reset(code: UInt32($0)) }
      case "pending": SentAnswer.Wait(rawValue: detail).map { .pending($0) }
      case "nothing": SentAnswer.Cause(rawValue: detail).map { .nothing($0) }
      default: nil
      }
    guard let sent else { throw fields.problem("detail", "sent and detail are no answer.") }
    return .answerWent(push: try number("push", fields), try connection("connection", fields), sent)
  }

  private static func status(_ text: String) -> Int? { Int(text).flatMap { (100...599).contains($0) ? $0 : nil } }

  private static func end(_ fields: Fields) throws(InputProblem) -> Command {
    let call = try number("ended", fields)
    if let status = fields.json("status")?.integer {
      let body = fields.json("body")?.string.flatMap { try? JSONValue.parse(Array($0.utf8)) }
      guard fields.has("body") == (body != nil) else { throw fields.problem("body", "body must be JSON as text.") }
      return .answer(call, .answered(status: Int(status), body: body))
    }
    let failures = CallOutcome.Failure.allCases.map { (name: $0.rawValue, value: $0) }
    let failure = try fields.neededChoice("failure", failures)
    return .answer(call, .failed(failure, fields.json("sentence")?.string ?? ""))
  }

  // MARK: - Certificates

  private static let environments = Environment.allCases.map { (name: $0.rawValue, value: $0) }

  private static func json(_ certificate: ProviderCertificate) -> JSONValue {
    var object = ObjectWriter()
    object.put("subject", certificate.subject)
    object.put("topics", JSONValue.array(certificate.topics.map { .string($0) }))
    let environments = environments.filter { certificate.environments.contains($0.value) }
    object.put("environments", JSONValue.array(environments.map { .string($0.name) }))
    object.put("notBefore", JSONValue.integer(certificate.notBefore.nanoseconds))
    object.put("notAfter", JSONValue.integer(certificate.notAfter.nanoseconds))
    object.put("flaw", flaws.first { $0.value == certificate.flaw }?.name)
    if case .otherKey(let kind) = certificate.flaw { object.put("otherKey", kind) }
    object.put("fingerprint", certificate.fingerprint)
    return object.json
  }

  private static func certificate(_ fields: Fields) throws(InputProblem) -> ProviderCertificate {
    guard let subject = fields.json("subject")?.string, let begin = fields.json("notBefore")?.integer,
      let end = fields.json("notAfter")?.integer, begin <= end
    else { throw fields.problem(nil, "certificate must have subject, and notBefore before notAfter.") }
    let flaw = try fields.choice("flaw", flaws)
    return ProviderCertificate(
      subject: subject, topics: fields.json("topics")?.elements?.compactMap(\.string) ?? [],
      environments: try KeyText.environments(fields), validity: Instant(nanoseconds: begin)...Instant(nanoseconds: end),
      flaw: fields.json("otherKey")?.string.map { .otherKey($0) } ?? flaw,
      fingerprint: fields.json("fingerprint")?.string ?? "")
  }

  // MARK: - Numbers

  /// Integers of JSON have a sign, which the highest bit becomes.
  private static func json(_ number: UInt64) -> JSONValue { .integer(Int64(bitPattern: number)) }

  private static func number(_ name: String, _ fields: Fields) throws(InputProblem) -> UInt64 {
    guard let number = fields.json(name)?.integer else { throw fields.problem(name, "\(name) must be a number.") }
    return UInt64(bitPattern: number)
  }

  private static func connection(_ name: String, _ fields: Fields) throws(InputProblem) -> ProviderConnectionID {
    ProviderConnectionID(try number(name, fields))
  }
}
