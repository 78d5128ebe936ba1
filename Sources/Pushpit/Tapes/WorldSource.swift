import APNs
import Configuration
import Devices
import Grammar
import Orders
import ScenarioFiles
import Scenarios
import Signing
import Simulation
import Timeline
import WireFormats

/// The inputs of a world in a tape's header: texts, which the program reads again in the same way.
package struct WorldSource: Sendable {
  package enum Plan: Sendable {
    case settings(SettingSources)
    case scenario(ScenarioSource)

    /// The clock by which a report of the run measures.
    var reportClock: RunTally.Clock {
      if case .scenario(let source) = self, source.live?.simulatesTime ?? false { .simulated } else { .machine }
    }
  }

  let plan: Plan
  /// The keys that can sign; nil if every signature is accepted.
  let keys: [TapeKey]?

  package func header(began: Instant) -> TapeHeader {
    let files: SourceFiles
    var members: [JSONValue.Member] = []
    switch plan {
    case .settings(let sources):
      files = sources.files
      members.append(.init("settings", sources.json))
    case .scenario(let source):
      files = source.files
      members.append(.init("scenario", source.json))
    }
    let texts = files.all.sorted { $0.key < $1.key }
    members.append(.init("files", .object(texts.map { .init($0.key, .string($0.value)) })))
    members.append(.init("keys", keys.map { .array($0.map(\.json)) } ?? .string("any")))
    return TapeHeader(program: Version.text, began: began, sources: .object(members))
  }

  /// - Throws: `ReplayProblem` for a header made by an incompatible program.
  package init(_ header: TapeHeader) throws(ReplayProblem) {
    let json = header.sources
    var texts: [String: String] = [:]
    for member in json["files"]?.members ?? [] { texts[member.key] = member.value.string }
    let files = SourceFiles(recorded: texts)
    if let sources = json["settings"].flatMap({ SettingSources($0, files: files) }) {
      plan = .settings(sources)
    } else if let source = json["scenario"].flatMap({ ScenarioSource($0, files: files) }) {
      plan = .scenario(source)
    } else {
      throw ReplayProblem("its header names neither settings nor a scenario, so this program cannot create its world.")
    }
    if json["keys"]?.string == "any" {
      keys = nil
    } else {
      var keys: [TapeKey] = []
      for entry in json["keys"]?.elements ?? [] { keys.append(try TapeKey(entry)) }
      self.keys = keys
    }
  }

  package init(_ plan: Plan, keys: [TapeKey]?) {
    self.plan = plan
    self.keys = keys
  }

  /// The clock by which a report of the run on a tape measures.
  package static func reportClock(of header: TapeHeader) -> RunTally.Clock {
    (try? WorldSource(header))?.plan.reportClock ?? .machine
  }

  /// The world in its initial state.
  package func world(at began: Instant) throws(ReplayProblem) -> World {
    do throws(InputProblem) {
      let settings =
        switch plan {
        case .settings(let sources): try Settings(sources)
        case .scenario(let source): try source.settings()
        }
      let made = settings.plan
      let apps = made.apps.map { ($0.bundleID, $0.teamID) }
      return World(
        made, rulebook: settings.rulebook, channels: settings.channelRules,
        keyRing: keys.map { TapeKey.ring($0, apps: apps) } ?? VirtualProvider.keyRing(made), at: began)
    } catch {
      throw ReplayProblem("its world cannot be created, because this program does not accept its settings: \(error)")
    }
  }
}
