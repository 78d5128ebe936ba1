import APNs
import Devices
import Simulation
import Timeline
import WireFormats

/// Lines of logs and stories as JSON.
enum LogJSON {
  static func value(_ line: LogLine, _ names: WorldNames, _ device: DeviceID?) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("at", .string(line.at.rfc3339)), .init("process", .string(line.process?.rawValue ?? "APNs")),
      .init("event", .string(line.event)), .init("sentence", .string(line.sentence)),
    ]
    if let cause = line.cause { members.append(.init("cause", .string(cause))) }
    if let device, let happening = line.happening {
      members += EventJSON.members(happening, device, line.app, names).filter {
        $0.key != "sentence" && $0.key != "cause"
      }
      if case .activityEnded(_, let cause) = happening { members.append(.init("cause", .string(cause.rawValue))) }
    } else if let device, let app = line.app {
      members.append(.init("app", .string(names.bundleID(app))))
      if let number = line.activity {
        members.append(.init("activity", .string(names.activity(device, app: app, number: number))))
      }
    }
    if let push = line.push { members.append(.init("apnsId", .string(push.text))) }
    if let evidence = line.evidence {
      members.append(.init("evidence", .string(evidence.kind.rawValue)))
      members.append(.init("source", .string(evidence.source)))
    }
    return .object(members)
  }
}
