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
    case "key": return .json(JSON(try String(contentsOfFile: try server.key.p8, encoding: .utf8)))
    case "address": return .json(JSON(server.apns))
    case "stop": await server.stop()
    case "session":
      let (phones, words) = Self.phones(details)
      return .session(try await server.session(phones: phones, words))
    case "phone": return .phone(server.phone(details["device"]?.string ?? ""))
    case "sendTo": return .json(try await send(details, by: server))
    case "fault": return .fault(try await server.fault(details))
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
      try await Pushpit.wait(what, within: Self.within(details)) { false }
    default: throw Unknown(what: action)
    }
    return nil
  }

  func perform(_ action: String, on session: Pushpit.Session, _ details: [String: JSON]) async throws -> Value? {
    switch action {
    case "state": return .json(try await session.state())
    case "pushes": return .json(JSON(try await session.pushes(details).map(\.raw)))
    case "stories": return .json(JSON(try await session.stories()))
    case "expectPushes":
      let filters = details.filter { !["count", "within"].contains($0.key) }
      let count = details["count"]?.int ?? 0
      return .json(JSON(try await session.expect(count, filters, within: Self.within(details)).map(\.raw)))
    case "close": return .json(try await session.close().raw)
    case "awaitEnd":
      try await Pushpit.wait("The end of the session") { try await session.state()["open"].bool == false }
    case "forget": try await session.forget()
    case "fault": return .fault(try await session.fault(details))
    default: return try await perform(action, on: session.phone, details)
    }
    return nil
  }

  func perform(_ action: String, on phone: Pushpit.Phone, _ details: [String: JSON]) async throws -> Value? {
    switch action {
    case "phoneState": return .json(try await phone.state())
    case "token":
      let type = details["attributesType"]?.string
      let kind = details["kind"]?.string ?? "device"
      return .json(JSON(try await phone.token(kind, app: details["app"]?.string, attributesType: type)))
    case "screen": return .json(try await phone.screen().raw)
    case "log": return .json(JSON(try await phone.log(details["process"]?.string)))
    case "act":
      let others = details.filter { $0.key != "action" }
      return .json(JSON(try await phone.act(details["action"]?.string ?? "", others)))
    case "send":
      let timeout = details["timeout"]?.double.map { Duration.seconds($0) }
      let answer = try await phone.send(Self.payload(details)) { $0.timeout = timeout ?? $0.timeout }
      return .json(answer.plain)
    case "expectScreen":
      return .json(try await phone.expect(details["shape"]?.object ?? [:], within: Self.within(details)).raw)
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

  /// To a token, or to a phone by its id.
  private func send(_ details: [String: JSON], by server: Pushpit) async throws -> JSON {
    let pushType = details["pushType"]?.string ?? "alert"
    let topic = details["topic"]?.string
    let payload = Self.payload(details)
    func change(_ options: inout Pushpit.SendOptions) { (options.pushType, options.topic) = (pushType, topic) }
    if let token = details["token"]?.string {
      return try await server.send(payload, toToken: token, change).plain
    }
    return try await server.phone(details["to"]?.string ?? "").send(payload, change).plain
  }

  /// A text is that of an alert.
  private static func payload(_ details: [String: JSON]) -> JSON {
    let payload = details["payload"] ?? "Hello"
    guard let text = payload.string else { return payload }
    return ["aps": ["alert": JSON(text)]]
  }

  private static func within(_ details: [String: JSON]) -> Duration {
    details["within"]?.double.map { Duration.seconds($0) } ?? Pushpit.patience
  }
}

extension Pushpit.Answer {
  fileprivate var plain: JSON {
    ["status": JSON(status), "apnsId": JSON(apnsID), "reason": reason.map { JSON($0) } ?? nil]
  }
}
