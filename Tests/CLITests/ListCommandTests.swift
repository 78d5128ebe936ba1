import ArgumentParser
import ClientCommands
import Testing
import WireFormats

@testable import CLI

@Suite("Lists on the command line")
struct ListCommandTests {
  /// The cells of a row.
  private static func cells<Command: ListCommand>(_ command: Command.Type, _ row: String) throws -> [String] {
    let cells = Command.cells(of: ListRow(try JSONValue.parse(Array(row.utf8))))
    #expect(cells.count == Command.heading.count)
    return cells
  }

  private static func parsed<Command>(_ words: String, as command: Command.Type) throws -> Command {
    let words = words.split(separator: " ").map(String.init)
    return try #require(try PushpitCommand.parseAsRoot(words) as? Command)
  }

  @Test("a device is shown with its state and apps")
  func devices() throws {
    let row = #"""
      {"id": "d0", "os": "26.1", "online": false, "locked": true, "focus": true, "lowPower": false,
        "apps": [{"bundleId": "a", "installed": true, "notifications": "denied",
          "activities": [{"state": "active"}, {"state": "ended"}]},
          {"bundleId": "b", "installed": false, "notifications": "authorized", "activities": []}]}
      """#
    #expect(
      try Self.cells(DevicesCommand.self, row) == [
        "d0", "26.1", "offline, Focus, locked", "a (denied, 1 activity), b (deleted)",
      ])
  }

  @Test("a token is shown with its type, and a dead one is marked")
  func tokens() throws {
    let row = #"""
      {"token": "01", "kind": "pushToStart", "device": "d0", "app": "a", "environment": "sandbox",
        "attributesType": "Match", "live": false}
      """#
    #expect(
      try Self.cells(TokensCommand.self, row) == ["d0", "pushToStart Match (dead)", "a", "sandbox", "01"])
  }

  @Test("sessions, calls and findings are shown by what a person looks for")
  func others() throws {
    let session = #"""
      {"name": "s1", "open": false, "openedAt": "2026-11-23T03:36:36.906Z", "faults": 1, "passed": false,
        "counts": {"pushes": 3, "calls": 2, "findings": 1}, "expectations": [{"passed": false}, {"passed": true}]}
      """#
    #expect(
      try Self.cells(SessionsCommand.self, session) == [
        "s1", "closed", "03:36:36.906", "3", "2", "1", "1", "1 failed",
      ])
    let call = #"""
      {"at": "2026-11-23T03:36:36.906Z", "device": "d0", "app": "a", "event": "launch", "method": "GET",
        "url": "http://x/", "sentence": "Answered 200."}
      """#
    #expect(
      try Self.cells(CallsCommand.self, call) == [
        "03:36:36.906", "d0", "a", "launch", "GET http://x/", "Answered 200.",
      ])
    let finding = #"""
      {"at": "2026-11-23T03:36:36.906Z", "kind": "duplicate", "device": null, "apnsId": "DAC14742-0000",
        "sentence": "Twice."}
      """#
    #expect(
      try Self.cells(FindingsCommand.self, finding) == ["03:36:36.906", "duplicate", "-", "DAC14742", "Twice."])
  }

  @Test("flags of filters become the parameters of the route, in the spelling of the admin API")
  func filters() throws {
    let list = try Self.parsed(
      "push list --push-type alert --apns-id X --connection 3", as: PushCommand.List.self)
    #expect(list.filters.given.map { "\($0.key)=\($0.value)" } == ["apnsId=X", "pushType=alert", "connection=3"])
    for (words, value) in [("--online", "true"), ("--offline", "false")] {
      let devices = try Self.parsed("devices \(words)", as: DevicesCommand.self)
      #expect(devices.filters.given.map { "\($0.key)=\($0.value)" } == ["online=\(value)"])
    }
    #expect(try Self.parsed("devices", as: DevicesCommand.self).filters.given.isEmpty)
  }

  @Test(
    "both cases of a filter, and an argument that is also a filter, are rejected",
    arguments: [
      ("devices --online --offline", "--online and --offline cannot be combined."),
      ("calls --failed --answered", "--failed and --answered cannot be combined."),
      ("tokens d0 --device d1", "Unknown option '--device'"),
    ])
  func wrong(_ words: String, _ says: String) {
    let error = #expect(throws: (any Error).self) {
      try PushpitCommand.parseAsRoot(words.split(separator: " ").map(String.init))
    }
    #expect(error.map { PushpitCommand.fullMessage(for: $0).contains(says) } == true)
  }

  @Test(
    "the help of a derived flag is one sentence, with the valid words if they are few",
    arguments: [
      ("/v1/pushes", "environment", "Only pushes to this environment: sandbox or production."),
      ("/v1/pushes", "push-type", "Only pushes of this apns-push-type, such as alert."),
      (
        "/v1/pushes", "fate",
        "Only pushes with this fate, in the wording of Apple's console, such as "
          + "\"Delivered to Device\"."
      ),
      ("/v1/sessions", "open", "Only open sessions."), ("/v1/sessions", "closed", "Only closed sessions."),
      ("/v1/calls", "failed", "Only calls not answered with 2xx."),
      ("/v1/calls", "answered", "Only calls answered with 2xx."),
    ])
  func help(_ path: String, _ name: String, _ sentence: String) {
    #expect(RequestFlag.filters(of: path).first { $0.name == name }?.help == sentence)
  }

  @Test("every flag of a list and of a fault has a help sentence")
  func sentences() {
    let lists = ["pushes", "devices", "tokens", "sessions", "calls", "findings", "events"]
    let flags = lists.map { RequestFlag.filters(of: "/v1/\($0)") } + [FaultOrder.flags]
    for list in flags {
      #expect(!list.isEmpty)
      for flag in list { #expect(flag.help.hasSuffix(".") && flag.help.contains(" "), "\(flag.key): \(flag.help)") }
    }
  }
}
