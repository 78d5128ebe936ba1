import Pushpit
import Signing
import Timeline
import Transport
import WireFormats

/// A check of everything on a client's way to an answer, with a finding for each step, for a client that cannot
/// connect.
package struct Diagnosis: Sendable {
  package struct Finding: Sendable {
    package let isGood: Bool
    package let sentence: String
  }

  package private(set) var findings: [Finding] = []
  /// The troubles of other clients with the server, newest first.
  package private(set) var troubles: [String] = []

  package var isGood: Bool { findings.allSatisfy(\.isGood) }

  private static let troublesShown = 10

  package init(_ target: RunningServer) {
    if target.isFolderItsOwn { lookAt(target.folder) } else { lookAtReadyLine(target) }
    if lookAtAdmin(target), lookAtGateway(target) { lookAtProviderToken(target) }
  }

  /// Of a state folder on which no server runs.
  package init(_ folder: StateFolder, without server: CommandFailure) {
    lookAt(folder)
    bad(server.description)
  }

  private mutating func lookAt(_ folder: StateFolder) {
    lookAtFiles(folder)
    lookAtKeys(folder)
  }

  private mutating func good(_ sentence: String) { findings.append(Finding(isGood: true, sentence: sentence)) }
  private mutating func bad(_ sentence: String) { findings.append(Finding(isGood: false, sentence: sentence)) }

  private mutating func lookAtFiles(_ folder: StateFolder) {
    guard folder.exists(folder.authorityPath) else {
      bad(
        "\(folder.path) has no certificate authority; `pushpit serve` makes one, or choose another folder with --state."
      )
      return
    }
    do throws(SigningFailure) {
      let now = SystemClock.now.seconds
      let authority = try Certificate(pem: try KeyFile.read(folder.authorityPath), from: folder.authorityPath)
      guard authority.isValid(at: now) else {
        bad("The certificate authority \(folder.authorityPath) is out of date; `pushpit certs --renew` makes another.")
        return
      }
      let path = folder.path + "/tls.pem"
      let certificate = try Certificate(pem: try KeyFile.read(path), from: path)
      good("Clients must trust \(folder.authorityPath) (curl: --cacert; Node: NODE_EXTRA_CA_CERTS; Python: cafile).")
      good("The certificate is valid for \(certificate.names.joined(separator: ", ")).")
    } catch {
      bad(error.description)
    }
  }

  private mutating func lookAtKeys(_ folder: StateFolder) {
    do {
      let registry = try KeyRegistry(folder)
      if registry.entries.isEmpty { bad("No provider key is registered in \(folder.path): `pushpit keys make`.") }
      for entry in registry.entries {
        let limit = entry.topics.isEmpty ? "" : ", topics \(entry.topics.joined(separator: ", "))"
        good("Key \(entry.keyID) of team \(entry.teamID) signs for \(entry.environment)\(limit).")
      }
    } catch {
      bad(error.description)
    }
  }

  /// No folder here is known to be the server's, so its ready line lists what clients need.
  private mutating func lookAtReadyLine(_ target: RunningServer) {
    guard let keys = target.line?["keys"]?.elements else { return }
    good("Clients must trust \(target.admin)/v1/ca.pem.")
    if keys.isEmpty { bad("No provider key is registered at \(target.admin): POST /v1/keys makes one.") }
    for key in keys {
      guard let id = key["keyId"]?.string, let team = key["teamId"]?.string else { continue }
      good("Key \(id) of team \(team) signs for \(key["environment"]?.string ?? "both").")
    }
  }

  private mutating func lookAtAdmin(_ target: RunningServer) -> Bool {
    do throws(WebCall.Failure) {
      let status = try target.api.send(AdminAPI.Order("health")).status
      guard status == 200 else {
        bad("\(target.admin) answered \(status) to /health: is something else listening there?")
        return false
      }
      good("The admin API answers at \(target.admin).")
      var order = AdminAPI.Order("v1", "troubles")
      order.query = [("limit", String(Self.troublesShown))]
      if let list = try target.api.send(order).value["troubles"]?.elements {
        troubles = list.prefix(Self.troublesShown).compactMap { trouble in
          trouble["sentence"]?.string.map { sentence in
            let count = trouble["count"]?.integer ?? 1
            let times = count > 1 ? " (\(count) times)" : ""
            return "\(trouble["at"]?.string ?? "") \(trouble["peer"]?.string ?? ""): \(sentence)\(times)"
          }
        }
      }
      return true
    } catch {
      bad(
        "\(target.admin) did not answer (\(error)): `pushpit serve` is not running, or on another port (--admin).")
      return false
    }
  }

  private mutating func lookAtGateway(_ target: RunningServer) -> Bool {
    switch target.probe() {
    case .sound:
      good("\(target.gateway) speaks TLS with a certificate of that authority, and HTTP/2.")
      return true
    case .stranger: bad("\(target.gateway) speaks TLS, but is not this Pushpit: is something else listening there?")
    case .untrusted(let why):
      bad(
        "\(target.gateway) has a certificate that \(target.authority.place) has not signed for it (\(why)): the "
          + "server runs with another state folder (--state), or the authority was renewed since.")
    case .unreachable(let why): bad("Nothing listens at \(target.gateway) (\(why)).")
    case .noTLS(let why): bad("\(target.gateway) does not speak TLS: \(why).")
    }
    return false
  }

  private mutating func lookAtProviderToken(_ target: RunningServer) {
    do {
      let provider = try target.signer(nil).token()
      let order = AdminAPI.Order(post: ["v1", "provider-tokens", "check"], ["token": .string(provider)])
      let answer = try target.api.send(order)
      if answer.status == 200, answer.value["passes"] == .bool(true) {
        return good("A new provider token is accepted.")
      }
      let reason = answer.value["reason"]?.string ?? answer.value["error"]?.string ?? "\(answer.status)"
      bad(
        "A new provider token would be rejected: \(reason). `pushpit keys list` shows the keys of the state folder, "
          + "GET /v1/keys those of the server.")
    } catch {
      bad("No provider token could be checked: \(error).")
    }
  }
}
