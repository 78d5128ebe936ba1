import APNs
import Devices
import Timeline

/// The mistakes of senders of rejected pushes. Made when somebody reads a push, or for a connection's first trouble.
extension World {
  /// The mistake of a rejected push's sender; nil if only the rule is known.
  func mistake(_ record: PushRecord) -> String? {
    guard let rule = record.answer.rejection?.rule else { return nil }
    switch rule {
    case .deviceTokenKnown: return tokenMistake(record)
    case .deviceTokenForTopic: return record.address.flatMap { topicMistake(record, $0) }
    default:
      let certified = connections.provider(of: record.stream.connection)?.certified
      return validator.mistake(rule, in: record.push, by: certified, key: record.keyNumber, at: record.at.wall)
    }
  }

  /// The mistake in a broadcast or in a request about channels; nil if only the rule is known. An accepted
  /// broadcast may have its expiration in another unit.
  package func mistake(_ record: ChannelRecord) -> String? {
    let push = ParsedPush(record.request, in: record.home.environment)
    guard let rejection = record.answer.rejection else {
      return record.operation == .publish ? push.expirationMistake : nil
    }
    let certified = connections.provider(of: record.stream.connection)?.certified
    return rejection.rule.flatMap {
      validator.mistake(
        $0, in: push, for: record.home.bundleID, by: certified, key: record.keyNumber, at: record.at.wall)
    }
  }

  /// Evidence for the rejection of a broadcast or of a request about channels.
  package func evidence(of record: ChannelRecord) -> Evidence? {
    guard let rule = record.answer.rejection?.rule else { return nil }
    if case .provider(let broken) = rule,
      let circumstance = validator.circumstance(
        broken, in: ParsedPush(record.request, in: record.home.environment))
    {
      return circumstance.evidence
    }
    return rule.evidence(of: record.request, record.operation)
  }

  /// The circumstance of a rejected push; nil if the evidence of the rule holds.
  func circumstance(_ record: PushRecord) -> Rule.Circumstance? {
    guard let rule = record.answer.rejection?.rule else { return nil }
    switch rule {
    case .deviceTokenKnown:
      guard let cell = fleet.configuration.plan.cell, let named = record.push.deviceToken?.partition else {
        return nil
      }
      return cell.owns(partition: named) ? nil : .otherCell
    case .deviceTokenForTopic:
      return record.address.flatMap { topicMistake(record, $0) } == nil ? .startTokenMisuse : nil
    case .deviceTokenRegistered: return record.address.flatMap { deadToken($0) }
    default: return validator.circumstance(rule, in: record.push)
    }
  }

  /// The reason why the token of an installed app is dead.
  private func deadToken(_ address: Address) -> Rule.Circumstance? {
    let install = fleet.install(address.device, app: address.app)
    guard install.isInstalled else { return nil }
    let isReplaced = install.state(of: address.slot).map { address.generation < $0.generation } ?? false
    switch address.slot {
    case .update: return isReplaced ? .replacedUpdateToken : .endedActivity
    case .pushToStart: return isReplaced ? .replacedStartToken : nil
    case .app, .service: return nil
    }
  }

  /// Another notation of a token, and whose token it is.
  private func tokenMistake(_ record: PushRecord) -> String? {
    guard let range = record.push.tokenRange, let notation = TokenNotation(record.push.text(range)) else { return nil }
    guard let token = notation.token, let address = fleet.address(of: token),
      let app = app(of: address)
    else { return notation.sentence }
    return "\(notation.sentence) It stands for the \(address.slot.kind.name) token of \(app) on \(address.device.text),"
      + " \(token.text)."
  }

  private func topicMistake(_ record: PushRecord, _ address: Address) -> String? {
    guard let app = app(of: address) else { return nil }
    let right = Topic(bundleID: app, suffix: address.slot.suffix)
    let topic = record.push.topicRange.map { record.push.text($0) }
    guard topic != right.text else { return nil }
    return
      "The device token is the \(address.slot.kind.name) token of \(app) on \(address.device.text), which needs the"
      + " topic \(right.text)" + (topic.map { "; the push has \($0)." } ?? "; the certificate is for another.")
  }

  private func app(of address: Address) -> String? {
    let apps = fleet.configuration.plan.apps
    return apps.indices.contains(address.app) ? apps[address.app].bundleID : nil
  }

  /// The trouble of a client whose pushes are rejected because of its provider token, or because of its topic.
  func trouble(
    of rejection: Rejection, by rule: Rule, _ push: ParsedPush, key: Int?, from index: Connections.Index, at now: Now
  ) -> ClientTrouble {
    let certified = connections[index].provider.certified
    let sentence = validator.mistake(rule, in: push, by: certified, key: key, at: now.wall) ?? rule.sentence
    return ClientTrouble(
      at: now.world, kind: rule == .topicAllowed ? "topic" : "providerToken", peer: connections[index].peer,
      sentence: "A push was refused with \(rejection.reason.rawValue). \(sentence)")
  }

  /// The rejection of a provider token on a new connection, and the mistake of its sender; nil if it is valid. Changes
  /// no state.
  package func rejection(
    ofProvider token: String, in environment: Environment, at now: Now
  ) -> (rejection: Rejection, sentence: String)? {
    validator.rejection(ofProvider: token, in: environment, at: now.wall)
  }
}
