import APNs
import Devices
import Reporting
import WireFormats

/// The text of filters and of differences, for verdicts.
extension Filter {
  /// The kind of subject, because a few words differ.
  enum Kind {
    case push
    case report
    case event
    /// A broadcast, a request about channels, or an arrival.
    case broadcast

    /// The order of the parts in the text of a filter.
    fileprivate var described: [Part] {
      switch self {
      case .push:
        [
          .step, .status, .sent, .reason, .fate, .cause, .outcome, .devices, .app, .type, .priority, .tokenKind, .event,
          .fault, .connection, .environment, .id, .payload,
        ]
      case .report: [.event, .devices, .app, .status, .failure, .payload]
      case .event: [.event, .devices, .app]
      case .broadcast:
        [
          .operation, .step, .channel, .app, .environment, .status, .reason, .devices, .fate, .cause, .outcome,
        ]
      }
    }

    /// The order of the parts in a list of differences.
    fileprivate var compared: [Part] {
      switch self {
      case .push:
        [
          .step, .status, .sent, .reason, .devices, .app, .tokenKind, .fate, .outcome, .cause, .type, .priority, .fault,
          .connection, .environment, .id, .headers, .event, .payload,
        ]
      case .report, .event, .broadcast: described
      }
    }

    fileprivate func name(_ part: Part) -> String {
      switch part {
      case .devices: "device"
      case .type: "pushType"
      case .id: "apnsId"
      case .payload: self == .push ? "payload" : "body"
      default: "\(part)"
      }
    }
  }

  /// The given values, as text; empty without values.
  func words(_ kind: Kind) -> String {
    let parts = kind.described.compactMap { part in
      wanted(part).map { text in
        switch (kind, part) {
        case (.event, .event): text
        case (.event, .devices): "on \(text)"
        case (.event, .app): "of \(text)"
        case (_, .payload): "\(kind.name(part)) with \(text)"
        default: "\(kind.name(part)) \(text)"
        }
      }
    }
    let headers = headers.map { header in header.value.map { "\(header.name) \($0)" } ?? "no \(header.name)" }
    return (parts + headers).joined(separator: kind == .event ? " " : ", ")
  }

  private func wanted(_ part: Part) -> String? {
    switch part {
    case .step: step
    case .status: status.map { "\($0)" }
    case .sent: sent?.text
    case .reason: reason?.rawValue
    case .fate: fate
    case .cause: cause
    case .outcome: outcome
    case .devices: devices.map { $0.map(\.text).joined(separator: " or ") }
    case .app: app
    case .type: type?.rawValue
    case .priority: priority.map { "\($0.rawValue)" }
    case .tokenKind: tokenKind?.name
    case .event: event
    case .fault: fault
    case .connection: connection.map { "\($0)" }
    case .environment: environment?.rawValue
    case .id: id?.text
    case .payload: payload?.text
    case .failure: failure?.rawValue
    case .operation: operation?.rawValue
    case .channel: channel
    case .os, .isOnline, .share, .keys, .topics, .topic, .token, .headers, .isFailed, .isLive: nil
    }
  }

  /// The differences between the filter and a subject, as text.
  func differences(_ subject: inout some DescribedSubject, _ matcher: Matcher) -> [String] {
    let kind = subject.kind
    return kind.compared.flatMap { part -> [String] in
      guard matcher.parts.contains(part), !matcher.holds(part, &subject) else { return [] }
      switch part {
      case .app where kind == .broadcast: return ["it is for another app"]
      case .app: return [kind == .push ? "the push is for another app" : "another app made it"]
      case .payload: return payloadDifferences(&subject, kind.name(part))
      case .headers: return matcher.headerDifferences(&subject)
      default: return ["\(kind.name(part)) is \(subject.found(part)), not \(wanted(part) ?? "")"]
      }
    }
  }

  private func payloadDifferences(_ subject: inout some DescribedSubject, _ name: String) -> [String] {
    guard let found = subject.body() else { return [subject.withoutBody] }
    return payload?.differences(from: found, name) ?? []
  }
}

extension Matcher {
  fileprivate func headerDifferences(_ subject: inout some MatchSubject) -> [String] {
    var list: [String] = []
    for header in headers where !holds(header, &subject) {
      let found = subject.push?.request(to: subject.address).fields[header.name]
      let wanted = header.value.map { String(decoding: $0, as: UTF8.self) } ?? "absent"
      list.append("\(header.name) is \(found ?? "absent"), not \(wanted)")
    }
    return list
  }
}

/// A subject that verdicts describe.
protocol DescribedSubject: MatchSubject {
  var kind: Filter.Kind { get }
  /// The value of a part, as text; only parts that filters of its kind have.
  mutating func found(_ part: Filter.Part) -> String
  /// The sentence for a subject without a JSON body.
  var withoutBody: String { get }
}
