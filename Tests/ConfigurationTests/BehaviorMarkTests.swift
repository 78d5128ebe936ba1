import APNs
import Configuration
import Devices
import Simulation
import TestSupport
import Testing
import Timeline

/// Everything of which the program says how it is known.
enum KnownEvidence {
  /// By what it is.
  static let usual: [(name: String, evidence: Evidence)] = {
    var all = Rule.allCases.map { ("rule \($0)", $0.evidence) }
    all += ChannelRule.allCases.map { ("rule of channels \($0)", $0.evidence) }
    all += DropCause.allCases.map { ("drop \($0)", $0.evidence) }
    all += Remarks.all.map { ("remark \($0.name)", $0.evidence) }
    all += Fate.Discard.allCases.map { ("discard \($0)", $0.evidence) }
    all += Reaction.Hold.allCases.map { ("hold \($0)", $0.evidence) }
    all += PresentationCause.allCases.map { ("notification \($0)", $0.evidence) }
    all += PayloadRemark.allCases.map { ("remark \($0)", $0.evidence) }
    all += WakeCause.allCases.map { ("background push \($0)", $0.evidence) }
    all += calls.map { ("call \($0.name)", $0.evidence) }
    all += ServiceReaction.allCases.map { ("service \($0)", $0.evidence) }
    all += ServiceExtension.Outcome.allCases.map { ("service extension \($0)", $0.evidence) }
    all += AuditFinding.Kind.allCases.map { ("finding \($0)", $0.source) }
    return all
  }()

  private static let calls: [VoIPCallReports.Outcome] = [
    .rang(launched: true), .killed(failures: 1), .killedAndStopped(until: .distantFuture),
    .notDelivered(until: .distantFuture), .reportedLate(after: .seconds(3), failures: 1),
  ]

  /// Each with what is usual of the same cause.
  static let circumstances: [(name: String, evidence: Evidence, usual: Evidence)] = {
    var all = Rule.Circumstance.allCases.map { ("\($0)", $0.evidence, $0.rule.evidence) }
    all += ChannelRule.Circumstance.allCases.map { ("\($0)", $0.evidence, $0.rule.evidence) }
    all += DropCause.Circumstance.allCases.map { ("\($0)", $0.evidence, $0.cause.evidence) }
    let stored = (Fate.Discard.appAbsent, Fate.Discard.activityOver)
    all.append(("a badge or a sound alone", PresentationCause.badgeOrSoundAlone, PresentationCause.noText.evidence))
    all.append(("app absent, from storage", stored.0.evidenceFromStorage, stored.0.evidence))
    all.append(("activity over, from storage", stored.1.evidenceFromStorage, stored.1.evidence))
    all.append(("no expiration", Fate.Discard.untimed, Fate.Discard.notStored.evidence))
    all.append(("a wake without a type", PushRecord.untypedWake, WakeCause.typeIsAlert.evidence))
    return all
  }()
}

@Suite("The marks of docs/behavior")
struct BehaviorMarkTests {
  private static func section(of evidence: Evidence) -> String? {
    evidence.source.firstMatch(of: /\(docs\/behavior\/([a-z-]+\.md#[a-z0-9-]+)\)$/).flatMap {
      BehaviorDocument.sections[String($0.1)]
    }
  }

  @Test("the first mark of a section of docs/behavior is the kind of the program's evidence for its cause")
  func first() throws {
    for (name, evidence) in KnownEvidence.usual {
      let section = try #require(Self.section(of: evidence), "\(name): \(evidence.source)")
      let marks = BehaviorDocument.marks(of: section)
      #expect(marks.first == evidence.kind.rawValue, "\(name): the section has \(marks)")
    }
    #expect(KnownEvidence.usual.count > 180)
  }

  @Test("the marks of a section of docs/behavior include the kind of evidence for each special circumstance")
  func circumstances() throws {
    for (name, evidence, usual) in KnownEvidence.circumstances {
      let section = try #require(Self.section(of: evidence), "\(name): \(evidence.source)")
      let marks = BehaviorDocument.marks(of: section)
      #expect(marks.contains(evidence.kind.rawValue), "\(name): the section has \(marks)")
      #expect(evidence.kind != usual.kind, "\(name)")
    }
  }

  @Test("the marks of docs/behavior are of sources that the section names too")
  func sources() throws {
    let list = BehaviorDocument.text("docs/behavior/sources.md")
    let titles = list.matches(of: /(?m)^\| ([^|]+) \| </).map { String($0.1) }.sorted { $0.count > $1.count }
    #expect(titles.count > 25)
    for (name, evidence) in KnownEvidence.usual + KnownEvidence.circumstances.map({ ($0.name, $0.evidence) }) {
      let section = try #require(Self.section(of: evidence)).replacing(/\s+/, with: " ")
      let source = evidence.source
      if let title = titles.first(where: { source.hasPrefix("Apple, \($0)") }) {
        #expect(section.contains("[\(title)]"), "\(name): \(source)")
      }
      var numbers = source.matches(of: /threads? (\d+)(?:, (\d+))?/).flatMap { [$0.1, $0.2 ?? $0.1] }
      numbers += source.matches(of: /(?:issue|pull request)s? (\d+)(?: and (\d+))?/).flatMap { [$0.1, $0.2 ?? $0.1] }
      for number in numbers { #expect(section.contains(" \(number)]"), "\(name): \(number) of \(source)") }
    }
  }

  @Test("a section of docs/behavior that names a setting has the mark of the setting's evidence")
  func settings() {
    let grounds = Setting.table.map { ($0.key, $0.grounds) } + AppSettingKey.table.map { ($0.key, $0.grounds) }
    for case (let key, let grounds?) in grounds {
      let naming = BehaviorDocument.sections.values.filter { $0.hasBytes(of: "`\(key)`") }
      let mark = grounds.kind.rawValue.lowercased()
      let isThere = naming.contains { BehaviorDocument.marks(of: $0).contains(mark) }
      #expect(isThere, "\(key): \(grounds.text); its sections have \(naming.map(BehaviorDocument.marks(of:)))")
    }
  }
}
