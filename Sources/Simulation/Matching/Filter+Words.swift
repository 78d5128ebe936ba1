import APNs
import Devices
import Reporting
import WireFormats

/// What a filter says and what a subject is, in words of verdicts.
extension Filter {
  /// What is meant, for the few words that differ.
  enum Kind {
    case push
    case report
    case event

    /// The order in which the parts are said.
    fileprivate var said: [Part] {
      switch self {
      case .push:
        [
          .step, .status, .sent, .reason, .fate, .cause, .outcome, .devices, .app, .type, .priority, .tokenKind, .event,
          .fault, .connection, .environment, .id, .payload,
        ]
      case .report: [.event, .devices, .app, .status, .failure, .payload]
      case .event: [.event, .devices, .app]
      }
    }

    /// The order in which differences are said.
    fileprivate var compared: [Part] {
      switch self {
      case .push:
        [
          .step, .status, .sent, .reason, .devices, .app, .tokenKind, .fate, .outcome, .cause, .type, .priority, .fault,
          .connection, .environment, .id, .headers, .event, .payload,
        ]
      case .report, .event: said
      }
    }

    fileprivate func name(_ part: Part) -> String {
      switch part {
      case .devices: "device"
      case .tokenKind: "to"
      case .payload: self == .push ? "payload" : "body"
      default: "\(part)"
      }
    }
  }

  /// What is said, in words; empty when nothing is.
  func words(_ kind: Kind) -> String {
    let parts = kind.said.compactMap { part in
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
    case .os, .isOnline, .share, .keys, .topics, .topic, .token, .headers, .isFailed, .isLive: nil
    }
  }

  /// What differs, in words.
  func differences(_ subject: inout some DescribedSubject, _ matcher: Matcher) -> [String] {
    let kind = subject.kind
    return kind.compared.flatMap { part -> [String] in
      guard matcher.parts.contains(part), !matcher.holds(part, &subject) else { return [] }
      switch part {
      case .app: return [kind == .push ? "it was for another app" : "it was made by another app"]
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

/// A subject that a verdict shows.
protocol DescribedSubject: MatchSubject {
  var kind: Filter.Kind { get }
  /// What a part is, for those that filters of its kind have.
  mutating func found(_ part: Filter.Part) -> String
  /// Why it has no JSON body.
  var withoutBody: String { get }
}
