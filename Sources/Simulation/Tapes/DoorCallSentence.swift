import APNs
import Devices
import Reporting
import Timeline
import WireFormats

/// Says what a call was, for people.
enum DoorCallSentence {
  /// - Parameter events: what came of it, which knows where a push went.
  static func of(_ call: DoorCall, _ events: [Event], _ world: World) -> String {
    switch call {
    case .opened(let id, let environment, let peer, let managesChannels):
      let what = managesChannels ? "for channels " : ""
      return "connection \(id.number) \(what)to \(environment.rawValue), opened by \(peer)"
    case .closed(let id): return "connection \(id.number), closed"
    case .troubled(let kind, let peer, _): return "a trouble (\(kind)) of \(peer.isEmpty ? "nobody" : peer)"
    case .received(let request, let stream):
      let place = "on connection \(stream.connection.number), stream \(stream.number)"
      for case .push(let record) in events {
        guard let address = record.address else { continue }
        let apps = world.partition.fleet.plan.apps
        let app = apps.indices.contains(address.app) ? " for \(apps[address.app].bundleID)" : ""
        return "a push to \(address.device.text)'s \(address.slot.kind.name) token\(app) \(place)"
      }
      let path = request.fields[":path"] ?? ""
      return "a request to \(path.count > 60 ? path.prefix(60) + "…" : path) \(place)"
    case .answerWent(let push, let connection, let sent):
      return "the answer to push \(push) on connection \(connection.number): \(sent.name)"
    case .performed(let command): return sentence(of: command)
    case .waved: return "a fault reaching more of its devices"
    case .advanced, .stepped: return "time passing, with something due"
    }
  }

  private static func sentence(of command: Command) -> String {
    switch command {
    case .device(let device, let action): "the order \(name(of: action)) on \(device.text)"
    case .devices(_, let action): "the order \(name(of: action)) on a selection of devices"
    case .setFault(let fault):
      "the setting of the fault \(fault.label)" + (fault.session.map { " for the session \($0)" } ?? "")
    case .removeFault(let name): "the removal of the fault \(name)"
    case .healAll: "the healing of all faults"
    case .healSession(let session): "the healing of the faults of the session \(session)"
    case .answer(let call, let outcome): "the end of call \(call) of an app: \(outcome.sentence)"
    case .register(_, let device, _, let kind, _, _): "the registration of a \(kind.name) token on \(device.text)"
    }
  }

  /// The name of the case, without what it holds.
  private static func name(of action: DeviceAction) -> String {
    let text = "\(action)"
    return String(text.prefix { $0 != "(" })
  }
}
