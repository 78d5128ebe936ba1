import APNs
import Devices
import Reporting
import Simulation
import WireFormats

/// Describes a call in words.
enum WorldCallDescription {
  /// - Parameter events: the events of the call, which show where a push went.
  static func of(_ call: WorldCall, events: [WorldEvent], in world: World) -> String {
    switch call {
    case .opened(let id, let environment, let peer, let managesChannels, let certificate):
      let what = managesChannels ? "for channels " : ""
      let proof = certificate.map { " with the certificate \($0.subject)" } ?? ""
      return "connection \(id.number) \(what)to \(environment.rawValue), opened by \(peer)\(proof)"
    case .closed(let id): return "connection \(id.number), closed"
    case .received(let request, let stream):
      let place = "on connection \(stream.connection.number), stream \(stream.number)"
      for case .push(let record) in events {
        guard let address = record.address else { continue }
        let apps = world.fleet.plan.apps
        let app = apps.indices.contains(address.app) ? " for \(apps[address.app].bundleID)" : ""
        return "a push to \(address.device.text)'s \(address.slot.kind.name) token\(app) \(place)"
      }
      let path = request.fields[":path"] ?? ""
      return "a request to \(path.count > 60 ? path.prefix(60) + "…" : path) \(place)"
    case .answerWent(let push, let connection, let sent):
      return "the answer to push \(push) on connection \(connection.number): \(sent.name)"
    case .performed(let command): return sentence(of: command)
    case .waved: return "a fault or a broadcast reaching more of its devices"
    case .stepped: return "time passing, with work due"
    }
  }

  private static func sentence(of command: Command) -> String {
    switch command {
    case .device(let device, let action): "the order \(action.name) on \(device.text)"
    case .devices(_, let action): "the order \(action.name) on a selection of devices"
    case .setFault(let fault):
      "the setting of the fault \(fault.label)" + (fault.session.map { " for the session \($0)" } ?? "")
    case .deleteFault(let name): "the deletion of the fault \(name)"
    case .deleteAllFaults: "the deletion of all faults"
    case .deleteFaults(let session): "the deletion of the faults of the session \(session)"
    case .beginAnew: "the beginning with new phones"
    case .addKey(let key, _): "the registration of the provider key \(key.keyID)"
    case .revokeKey(let id): "the revocation of the provider key \(id)"
    case .restoreKey(let id): "the restoration of the provider key \(id)"
    case .revokeCertificate(let fingerprint): "the revocation of the certificate \(fingerprint.prefix(16))"
    case .suspendCertificates(let name): "the revocation for this run of \(certificates(name))"
    case .restoreCertificates(let name): "the restoration of \(certificates(name))"
    case .answer(let call, let outcome): "the end of call \(call) of an app: \(outcome.sentence)"
    case .register(_, let device, _, let kind, _, _): "the registration of a \(kind.name) token on \(device.text)"
    }
  }

  private static func certificates(_ name: String) -> String {
    name == SuspendedCertificates.all ? "every certificate" : "the certificate \(name.prefix(16))"
  }
}
