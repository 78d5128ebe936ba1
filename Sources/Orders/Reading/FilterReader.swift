import APNs
import Devices
import Grammar
import Reporting
import Simulation
import Timeline
import WireFormats

/// Reads the filters of faults, selections, expectations and queries.
///
/// A key has the same spelling and type everywhere. The caller decides which keys are valid, and reads `event` and
/// `step`, whose values depend on the context.
package enum FilterReader {
  /// All keys. Those that only some subjects have come last.
  private static let shape = Shape<Filter>(members: [
    .maybe("environment", at: \.environment, as: .word(as: .environment)),
    .maybe("app", at: \.app, as: .text),
    .maybe("pushType", at: \.type, as: .word(as: .pushType)),
    .maybe("priority", at: \.priority, as: .priority),
    .also("event", at: \.event, as: .text),
    .maybe("tokenKind", at: \.tokenKind, as: .tokenKind),
    .maybe("online", at: \.isOnline, as: .truth),
    .key("devices", as: .devices) { (fields, filter) throws(InputProblem) in
      filter.devices = try DeviceList.read(fields, most: Selection.mostChanged)
    } write: {
      $0.devices.map { .array($0.map { .string($0.text) }) }
    },
    .maybe("user", at: \.user, as: .user), .maybe("os", at: \.os, as: .os),
    .key("share", as: .share) { (fields, filter) throws(InputProblem) in
      if let share = try fields.share("share") { filter.share = share }
    } write: {
      let share = $0.share
      return share.numerator < share.denominator
        ? .string(Percent.write(share.numerator, of: share.denominator)) : Optional.none
    },
    .maybe("connection", at: \.connection, as: .whole),
    .also("operation", at: \.operation, as: .word()), .also("channel", at: \.channel, as: .text),
    // The reader of `devices` reads it.
    .key("device", as: .device) { _ in Optional.none },
    // `kind` is that of a token, `tokenKind` that of the token to which a push was sent.
    .key("kind", as: .tokenKind) { (fields, filter) throws(InputProblem) in
      if let kind = try FieldForm<TokenKind>.tokenKind.read(fields, "kind") { filter.tokenKind = kind }
    } write: { _ in
      Optional.none
    },
    .maybe("apnsId", at: \.id, as: .apnsID),
    .maybe("topic", at: \.topic, as: .text), .maybe("token", at: \.token, as: .text),
    content("payload", wanted: "the push's payload, such as {aps: {event: end}}"),
    content("body", wanted: "the report's body, such as {matchId: m1}"),
    .maybe("status", at: \.status, as: .whole(100...599)),
    .maybe("reason", at: \.reason, as: .word(as: .reason)),
    .key("sent", as: .either([.whole(100...599), .words(SentAnswer.names)])) { (fields, filter) throws(InputProblem) in
      guard let text = try fields.spelling("sent") else { return }
      filter.sent = SentAnswerFilter(text)
      guard filter.sent != nil else {
        throw fields.problem("sent", "sent must be a status, or one of \(Wording.list(SentAnswer.names)).")
      }
    } write: { _ in
      Optional.none
    },
    .maybe("fate", at: \.fate, as: .word(among: Fate.allWords)),
    .maybe("cause", at: \.cause, as: .word(among: Fate.allCauses)),
    .maybe("outcome", at: \.outcome, as: .word(among: Fate.allOutcomes, as: .outcome)),
    .maybe("fault", at: \.fault, as: .text), .maybe("failure", at: \.failure, as: .word()),
    .maybe("failed", at: \.isFailed, as: .truth), .maybe("live", at: \.isLive, as: .truth),
  ])

  /// The types of all keys.
  package static let types = Dictionary(uniqueKeysWithValues: shape.type.members.map { ($0.name, $0.type) })

  package static func read(_ fields: Fields, into filter: inout Filter) throws(InputProblem) {
    try shape.read(fields, into: &filter)
  }

  static func json(_ filter: Filter) -> JSONValue { shape.json(filter) }

  /// Some of the keys with their types. `others` has keys that are not part of filters, or have another meaning there.
  package static func members(
    _ names: [String], _ others: [String: ValueType] = [:]
  ) -> [(name: String, type: ValueType)] {
    names.compactMap { name in (others[name] ?? types[name]).map { (name, $0) } }
  }

  private static func content(_ name: String, wanted: String) -> Shape<Filter>.Member {
    .key(name, as: .object) { (fields, filter) throws(InputProblem) in
      guard let node = fields[name] else { return }
      guard node.pairs != nil else { throw fields.problem(name, "\(name) must be a part of \(wanted).") }
      filter.payload = node.json
    } write: { _ in
      Optional.none
    }
  }
}

extension FieldForm<Priority> {
  fileprivate static var priority: FieldForm {
    let choices = Priority.allCases.map { (name: "\($0.rawValue)", value: $0) }
    return FieldForm(.numbers(Priority.allCases.map(\.rawValue))) { (fields, name) throws(InputProblem) in
      try fields.choice(name, choices)
    } write: {
      JSONValue($0.rawValue)
    }
  }
}

extension FieldForm<TokenKind> {
  fileprivate static var tokenKind: FieldForm { choice(TokenChoice.kinds, as: .tokenKind) }
}

extension FieldForm<NotificationID> {
  fileprivate static var apnsID: FieldForm {
    FieldForm(.uuid) { (fields, name) throws(InputProblem) in
      guard let text = try fields.text(name) else { return nil }
      guard let id = NotificationID(text) else {
        throw fields.problem(name, "apnsId must be a UUID such as 11111111-2222-3333-4444-555555555555.")
      }
      return id
    } write: {
      .string($0.text)
    }
  }
}

extension FieldForm<UserID> {
  fileprivate static var user: FieldForm {
    FieldForm(.user) { (fields, name) throws(InputProblem) in
      guard let text = try fields.text(name) else { return nil }
      guard let user = UserID(text) else { throw fields.problem(name, "user must be an id such as u17.") }
      return user
    } write: {
      .string($0.text)
    }
  }
}

extension FieldForm<OSPattern> {
  /// `26`, or `26.1`.
  fileprivate static var os: FieldForm {
    FieldForm(.os) { (fields, name) throws(InputProblem) in
      guard let node = fields[name] else { return nil }
      // A number with a fraction is not accepted: 18.10 would be read as 18.1.
      let text = node.text ?? node.json.integer.map { "\($0)" }
      guard let pattern = text.flatMap({ OSPattern($0) }) else {
        throw fields.problem(
          name, "os must be a version of iOS such as \"18\" or \"18.5\", not \(Wording.quoted(text ?? node.json.text))."
        )
      }
      return pattern
    } write: {
      .string($0.text)
    }
  }
}

extension Environment {
  package static let choices = allCases.map { (name: $0.rawValue, value: $0) }
}
