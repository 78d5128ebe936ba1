import Foundation

@testable import PushpitTesting

extension Player {
  func perform(_ action: String, on server: Pushpit, _ details: [String: JSON]) async throws -> Value? {
    switch action {
    case "start": return .server(try await start((details["flags"]?.array ?? []).compactMap(\.string)))
    case "connect":
      let timeout = details["timeout"]?.double.map { Duration.seconds($0) } ?? .seconds(30)
      let environment = (details["env"]?.object ?? [:]).compactMapValues(\.string)
      return .server(
        try await Pushpit.connect(details["url"]?.string, timeout: timeout, environment: environment))
    case "spoilAuthority": try Data("Another server's.".utf8).write(to: URL(filePath: server.ca))
    case "authority": return .json(JSON(try String(contentsOfFile: server.ca, encoding: .utf8)))
    case "key": return .json(JSON(try String(contentsOfFile: try server.key().p8, encoding: .utf8)))
    case "address": return .json(JSON(server.apns()))
    case "stop": await server.stop()
    case "session":
      let (phones, options) = Self.phones(details)
      return .session(try await server.session(phones: phones, options))
    case "phone": return .phone(server.phone(details["device"]?.string ?? ""))
    case "sendTo": return .json(try await send(details, to: server.phone(details["to"]?.string ?? "")))
    case "fault": return .fault(try await server.set(Self.fault(details), at: #_sourceLocation))
    case "closeOther":
      try await server.api.post("/v1/sessions/\(AdminClient.part(details["name"]?.string ?? ""))/close")
    case "faults": return .json(JSON(try await server.faults()))
    case "deleteFaults": return .json(JSON(try await server.deleteFaults()))
    case "clock": return .json(try await server.clock.state())
    case "advance": return .json(try await server.clock.advance(by: details["by"] ?? nil))
    case "stopClock": return .json(try await server.clock.stop())
    case "runClock": return .json(try await server.clock.run())
    case "wait":
      let what = details["what"]?.string ?? "What was expected"
      try await Pushpit.waitFor(what, within: Self.within(details)) { false }
    default: throw Unknown(what: action)
    }
    return nil
  }

  func perform(_ action: String, on session: Pushpit.Session, _ details: [String: JSON]) async throws -> Value? {
    switch action {
    case "state": return .json(try await session.state())
    case "pushes": return .json(JSON(try await session.pushes(Self.members(details), limit: 100).map(\.raw)))
    case "stories": return .json(JSON(try await session.stories()))
    case "expectPushes":
      let filters: [Pushpit.PushFilter] = Self.members(details.filter { !["count", "within"].contains($0.key) })
      let count = details["count"]?.int ?? 0
      return .json(JSON(try await session.expect(count, filters, within: Self.within(details)).map(\.raw)))
    case "close": return .json(try await session.close().raw)
    case "awaitEnd":
      try await Pushpit.waitFor("The end of the session") { try await session.state()["open"].bool == false }
    case "forget": try await session.forget()
    case "fault": return .fault(try await session.set(Self.fault(details), at: #_sourceLocation))
    default: return try await perform(action, on: session.phone(), details)
    }
    return nil
  }

  func perform(_ action: String, on phone: Pushpit.Phone, _ details: [String: JSON]) async throws -> Value? {
    switch action {
    case "phoneState": return .json(try await phone.state())
    case "token":
      let type = details["attributesType"]?.string
      let kind = Pushpit.TokenKind(rawValue: details["kind"]?.string ?? "device")
      guard let kind else { throw Unknown(what: "\(details)") }
      return .json(JSON(try await phone.token(kind, app: details["app"]?.string, attributesType: type)))
    case "pushes": return .json(JSON(try await phone.pushes(Self.members(details), limit: 100).map(\.raw)))
    case "screen": return .json(try await phone.screen().raw)
    case "log": return .json(JSON(try await phone.log(details["process"].flatMap { $0.word() }).map(\.raw)))
    case "act":
      let others = details.filter { $0.key != "action" }
      let action = Pushpit.Action(json: JSON(others).adding(["do": details["action"] ?? nil]))
      return .json(JSON(try await phone.do(action)))
    // The server knows at once whether an answer will ever come.
    case "send":
      let options = details.filter { !["timeout", "times"].contains($0.key) }
      for _ in 1..<(details["times"]?.int ?? 1) { _ = try await send(options, to: phone) }
      return .json(try await send(options, to: phone))
    case "expectScreen":
      let shown: [Pushpit.Shown] = Self.members(details["shape"]?.object ?? [:])
      return .json(try await phone.expect(shown, within: Self.within(details)).raw)
    default: throw Unknown(what: action)
    }
  }

  func perform(_ action: String, on fault: Pushpit.Fault) async throws -> Value? {
    switch action {
    case "struck": return .json(JSON(try await fault.struck()))
    case "faultState": return .json(try await fault.state())
    case "deleteFault": try await fault.delete()
    default: throw Unknown(what: action)
    }
    return nil
  }

  /// A text is that of an alert.
  private func send(_ details: [String: JSON], to phone: Pushpit.Phone) async throws -> JSON {
    let payload = details["payload"] ?? "Hello"
    let body: JSON = payload.string.map { ["aps": ["alert": JSON($0)]] } ?? payload
    let options = details.filter { !["payload", "to"].contains($0.key) }
    let push = try await phone.send(["payload": body], Self.members(options))
    return ["status": JSON(push.status), "apnsId": JSON(push.apnsID), "reason": push.raw["reason"]]
  }

  /// Words that the types of the library may not allow.
  static func members<Member: ObjectMember>(_ words: [String: JSON]) -> [Member] {
    words.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: $0.value) }
  }

  /// The consequence may stand in `then`, or beside the other words.
  static func fault(_ words: [String: JSON]) -> Pushpit.FaultOrder {
    let beside: Set<String> = ["name", "when", "odds", "limit", "from", "until", "for"]
    let consequence = words.filter { $0.key != "then" && !beside.contains($0.key) }
    let order = words.filter { beside.contains($0.key) }
    return Pushpit.FaultOrder(json: JSON(order).adding(["then": (words["then"] ?? [:]).adding(consequence)]))
  }

  private static func within(_ details: [String: JSON]) -> Duration {
    details["within"]?.double.map { Duration.seconds($0) } ?? Pushpit.patience
  }
}
