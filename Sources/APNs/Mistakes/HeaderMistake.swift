import Timeline
import WireFormats

/// Sentences about mistakes in the headers of a push.
extension ParsedPush {
  /// A header that breaks the rule; nil if nothing is known beyond the rule.
  func headerMistake(_ rule: Rule, strict: Bool) -> String? {
    switch rule {
    case .providerTokenPresent: headers.authorization.map { Self.authorization(text($0)) }
    case .messageID: headers.id.map { "apns-id is \(Shown.text(text($0))); write 8-4-4-4-12 hexadecimal digits." }
    case .pushTypeKnown: headers.pushType.map { Self.pushType(text($0)) }
    case .priority: priorityMistake(strict: strict)
    case .expiration: headers.expiration.map { Self.expiration(text($0)) }
    case .collapseID:
      headers.collapseID.map {
        $0.isEmpty
          ? "apns-collapse-id is empty, which rules.strictHeaders rejects; leave the header out."
          : "apns-collapse-id has \($0.count) bytes; 64 are allowed."
      }
    case .payloadSize: "The body has \(request.bodyCount) bytes; \(type?.payloadLimit ?? 4096) are allowed."
    default: nil
    }
  }

  private static func authorization(_ text: String) -> String {
    if text.split(separator: ".", omittingEmptySubsequences: false).count == 3, !text.contains(" ") {
      return "The authorization header has a token without the word `bearer` and a space before it."
    }
    let scheme = text.prefix { $0 != " " }
    return scheme.lowercased() == "bearer"
      ? "The authorization header has no token after `bearer`."
      : "The authorization header begins with \(Shown.text(scheme)), not with `bearer`."
  }

  private static func pushType(_ text: String) -> String {
    let bare = text.lowercased().filter(\.isLetter)
    let near = PushType.allCases.first { $0.rawValue == bare }
    return "apns-push-type is \(Shown.text(text))" + (near.map { "; write \($0.rawValue)." } ?? ".")
  }

  private func priorityMistake(strict: Bool) -> String? {
    guard let range = headers.priority else {
      return "Without apns-priority a push has priority 10; a background push needs 5 (rules.strictHeaders)."
    }
    let value = text(range)
    if requestedPriority == nil {
      let isFirebase = ["high", "normal"].contains(value.lowercased())
      return "apns-priority is \(Shown.text(value)), not 10, 5 or 1."
        + (isFirebase ? " That is a priority of Firebase Cloud Messaging." : "")
    }
    return switch type {
    case .background?: "A background push has priority \(value); it needs 5 (rules.strictHeaders)."
    case .liveactivity?: "A Live Activity has priority \(value); it takes 5 or 10."
    default: nil
    }
  }

  private static func expiration(_ text: String) -> String {
    if text.isEmpty { return "apns-expiration is empty; leave the header out, or write 0 for a single attempt." }
    if text.hasPrefix("-"), Int64(text) != 0 { return "apns-expiration is \(Shown.text(text)), before 1970." }
    guard !text.contains(".") || Double(text) == nil else {
      return "apns-expiration is \(Shown.text(text)), not a whole number; a division of milliseconds must be rounded."
    }
    return "apns-expiration is \(Shown.text(text)); write the date as a number of seconds since 1970."
  }

  /// A date in `apns-expiration` that is accepted but probably in another unit; nil for any other.
  package var expirationMistake: String? {
    // As it is written: an instant ends in the year 2262.
    guard let expiration, let seconds = headers.expiration.flatMap({ Int64(text($0)) }) else { return nil }
    let guess: String
    switch DateUnit(of: Double(seconds)) {
    case .seconds: return nil
    case .milliseconds:
      let unit = DateUnit.fraction(Double(seconds)) ?? "milliseconds"
      return
        "apns-expiration \(seconds) looks like \(unit); it counts seconds, so APNs stores the push for as long as it"
        + " stores any."
    case .fromNow: guess = "it looks like a number of seconds from now"
    case .since2001: guess = "it seems to count from 2001"
    }
    return "apns-expiration \(seconds) is in \(expiration.rfc3339.prefix(4)), because it counts seconds since 1970;"
      + " \(guess), and an offline phone never gets the push."
  }
}
