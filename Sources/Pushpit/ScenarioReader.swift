import Admin
import Configuration
import Devices
import Grammar
import ScenarioFiles
import Scenarios
import Simulation

/// Reads the scenarios that clients of the admin API play on this server.
struct ScenarioReader: Sendable {
  let settings: Settings

  func read(_ order: ScenarioOrder) throws(InputProblem) -> ScenarioDirector {
    let file = try ScenarioFile.parse(
      order.text, named: order.name, seed: order.seed, on: settings, files: SourceFiles(recorded: order.files))
    let sign: VirtualProvider.Sign
    do {
      sign = try ProviderSigner.signing(for: settings)
    } catch {
      throw InputProblem(order.name, "the scenario's provider has no key: \(error)")
    }
    return ScenarioDirector(
      file.scenario, pace: .live, flags: file.flags, provider: VirtualProvider(settings.plan, sign: sign))
  }
}

extension ProviderSigner {
  /// Makes provider tokens for a scenario's own pushes with the keys of the state folder.
  package static func signing(for settings: Settings) throws -> VirtualProvider.Sign {
    let folder = StateFolder.of(settings)
    var signers: [String: ProviderSigner] = [:]
    for app in settings.apps {
      let team = app.profile.teamID
      if signers[team] == nil { signers[team] = try ProviderSigner(folder, team: team) }
    }
    return { [signers] team, now in try? signers[team]?.token(at: now) }
  }
}
