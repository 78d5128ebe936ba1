import Foundation
import Testing

@testable import PushpitTesting

/// Plays one case of the table.
final class Player {
  enum Value {
    case server(Pushpit)
    case session(Pushpit.Session)
    case phone(Pushpit.Phone)
    case fault(Pushpit.Fault)
    case json(JSON)
  }

  struct Unknown: Error {
    let what: String
  }

  private var values: [String: Value]
  private var started: [Pushpit] = []

  /// - Parameter urls: of other servers.
  init(_ server: Pushpit, urls: [String: String]) {
    let port = server.url.split(separator: ":").last.map(String.init) ?? ""
    values = urls.mapValues { .json(JSON($0)) }
    values["pushpit"] = .server(server)
    values["port"] = .json(JSON(port))
    values["url"] = .json(JSON(server.url))
  }

  func play(_ one: BehaviorTable.Case) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "pushpit-case-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      try await addStates(to: folder)
      for step in one.steps { try await play(step) }
    } catch {
      await stop()
      throw error
    }
    await stop()
  }

  /// State folders with ready lines in them: of the suite's server, of one that was killed, of one that has ended.
  private func addStates(to folder: URL) async throws {
    guard case .server(let server)? = values["pushpit"] else { return }
    let ready = try await server.api.get("/v1/ready")
    let stale = folder.appending(path: "stale")
    let other = ready.adding(["ca": JSON(stale.appending(path: "ca.pem").path)])
    for (name, line) in [("ready", ready), ("ready/pushpit", ready), ("stale", other)] {
      let place = folder.appending(path: name)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try Data(line.description.utf8).write(to: place.appending(path: "ready.json"))
    }
    let killed = folder.appending(path: "killed/ready")
    try FileManager.default.createDirectory(at: killed, withIntermediateDirectories: true)
    // A server was started later than the suite's, and killed.
    let dead = ready.adding(["admin": "http://127.0.0.1:1"])
    let pid = ProcessInfo.processInfo.processIdentifier
    for (name, line) in [("ready/\(pid)", ready), ("ready/99999999", dead), ("ready", dead)] {
      try Data(line.description.utf8).write(to: folder.appending(path: "killed/\(name).json"))
    }
    values["killedFolder"] = .json(JSON(folder.appending(path: "killed").path))
    values["readyFolder"] = .json(JSON(folder.appending(path: "ready").path))
    values["staleFolder"] = .json(JSON(stale.path))
  }

  private func stop() async { for server in started { await server.stop() } }

  func play(_ step: JSON) async throws {
    let details = try filled(step["with"]).object ?? [:]
    let wanted = step["fails"]
    do {
      let result = try await perform(step, try value(step["on"].string ?? "pushpit"), details)
      guard wanted.isNull else {
        Issue.record("\(step) did not fail")
        return
      }
      if let name = step["as"].string { values[name] = result }
      guard step.object?["gives"] != nil else { return }
      let mismatch = Mismatch.find(try filled(step["gives"]), result?.plain ?? nil)
      if let mismatch { Issue.record("\(step): \(mismatch)") }
    } catch let error as PushpitError where !wanted.isNull {
      #expect(error.kind.tableName == wanted["error"].string, "\(step): \(error)")
      let says = try filled(wanted["says"]).string ?? ""
      #expect(says.isEmpty || error.sentence.contains(says), "\(step): \(error)")
      for (name, value) in wanted["is"].object ?? [:] {
        #expect(error.member(name) == value, "\(step): \(name)")
      }
    }
  }

  private func perform(_ step: JSON, _ target: Value, _ details: [String: JSON]) async throws -> Value? {
    let action = step["do"].string ?? ""
    guard let during = step["during"].array else {
      switch target {
      case .server(let server): return try await perform(action, on: server, details)
      case .session(let session): return try await perform(action, on: session, details)
      case .phone(let phone): return try await perform(action, on: phone, details)
      case .fault(let fault): return try await perform(action, on: fault)
      case .json: throw Unknown(what: "\(step)")
      }
    }
    switch (action, target) {
    case ("session", .server(let server)):
      let (phones, options) = Self.phones(details)
      let session = try await server.session(phones: phones, options)
      try await session.during(at: #_sourceLocation) { try await play(during, .session($0)) }
    case ("fault", .session(let session)):
      let fault = try await session.set(Self.fault(details), at: #_sourceLocation)
      try await fault.during(at: #_sourceLocation) { try await play(during, .fault($0)) }
    default: throw Unknown(what: "\(step)")
    }
    return nil
  }

  private func play(_ steps: [JSON], _ it: Value) async throws {
    values["it"] = it
    for step in steps { try await play(step) }
  }

  /// A server that is stopped when the case is over.
  func start(_ flags: [String]) async throws -> Pushpit {
    var fleet: Int?
    var settings: [String] = []
    for place in stride(from: 0, to: flags.count - 1, by: 2) {
      let value = flags[place + 1]
      switch flags[place] {
      case "--fleet": fleet = Int(value)
      case "--clock": settings.append("clock: \(value)")
      case "--host": settings.append("listen: {host: \(value)}")
      case "--admin-port": settings.append("listen: {admin: \(value)}")
      default: throw Unknown(what: flags[place])
      }
    }
    let server = try await Pushpit.start(fleet: fleet, settings: settings.joined(separator: "\n"))
    started.append(server)
    return server
  }

  static func phones(_ details: [String: JSON]) -> (Int, [Pushpit.SessionOption]) {
    (details["phones"]?.int ?? 1, members(details.filter { $0.key != "phones" }))
  }

  private func value(_ name: String) throws -> Value {
    guard let value = values[name] else { throw Unknown(what: name) }
    return value
  }

  /// With `${name.member}` replaced by what is kept.
  private func filled(_ json: JSON) throws -> JSON {
    if let object = json.object { return JSON(try object.mapValues(filled)) }
    if let array = json.array { return JSON(try array.map(filled)) }
    guard let text = json.string else { return json }
    var whole = ""
    var rest = text[...]
    while let match = rest.firstMatch(of: /\$\{([\w.]+)\}/) {
      whole += rest[..<match.range.lowerBound]
      whole += try looked(up: match.1.split(separator: ".").map(String.init))
      rest = rest[match.range.upperBound...]
    }
    return JSON(whole + rest)
  }

  private func looked(up path: [String]) throws -> String {
    switch (try value(path[0]), Array(path.dropFirst())) {
    case (.json(let json), []): return json.string ?? json.description
    case (.session(let session), ["phone", "device"]): return try session.phone().device
    case (.server(let server), ["url"]): return server.url
    default: throw Unknown(what: path.joined(separator: "."))
    }
  }
}

extension Player.Value {
  var plain: JSON? { if case .json(let json) = self { json } else { nil } }
}

extension PushpitError {
  func member(_ name: String) -> JSON? {
    switch name {
    case "status": status.map { JSON($0) }
    case "code": code.map { JSON($0) }
    case "field": field.map { JSON($0) }
    case "path": path.map { JSON($0) }
    default: nil
    }
  }
}

extension PushpitError.Kind {
  /// The class in languages that have one for each kind.
  fileprivate var tableName: String {
    self == .misuse ? "PushpitError" : rawValue.prefix(1).uppercased() + rawValue.dropFirst() + "Error"
  }
}
