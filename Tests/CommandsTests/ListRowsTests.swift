import Testing
import WireFormats

@testable import ClientCommands

@Suite("Lists on the command line")
struct ListRowsTests {
  private static func json(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

  @Test("columns are as wide as their widest cell, lines have no trailing spaces and fit the terminal")
  func table() {
    let table = Table([["a", "long", "last"], ["wide", "b", "x y"], ["c", "", ""]])
    #expect(table.lines(columns: nil) == ["a     long  last", "wide  b     x y", "c"])
    #expect(table.lines(columns: 8) == ["a     l…", "wide  b…", "c"])
    #expect(Table([["a\u{1B}[2J"]]).lines(columns: nil) == ["a\\u{1b}[2J"])
  }

  @Test("a device is shown with its state and apps")
  func devices() throws {
    let page = try Self.json(
      #"""
      {"devices": [{"id": "d0", "os": "26.1", "online": false, "locked": true, "focus": true, "lowPower": false,
        "apps": [{"bundleId": "a", "installed": true, "notifications": "denied",
          "activities": [{"state": "active"}, {"state": "ended"}]},
          {"bundleId": "b", "installed": false, "notifications": "authorized", "activities": []}]}], "next": null}
      """#)
    #expect(
      ListRows.devices(page) == [
        ["device", "iOS", "state", "apps"],
        ["d0", "26.1", "offline, Focus, locked", "a (denied, 1 activity), b (deleted)"],
      ])
    #expect(ListRows.devices(try Self.json(#"{"devices": []}"#)) == [])
  }

  @Test("bare tokens are those of the first app")
  func bare() throws {
    let page = try Self.json(
      #"{"tokens": [{"token": "01", "app": "a"}, {"token": "02", "app": "b"}, {"token": "03", "app": "a"}]}"#)
    #expect(BareTokens(page).all == ["01", "03"])
    #expect(BareTokens(try Self.json(#"{"tokens": []}"#)).all == [])
  }

  @Test("a token is shown with its type, and a dead one is marked")
  func tokens() throws {
    let page = try Self.json(
      #"""
      {"tokens": [{"token": "01", "kind": "pushToStart", "device": "d0", "app": "a", "environment": "sandbox",
        "attributesType": "Match", "live": false}]}
      """#)
    #expect(ListRows.tokens(page).last == ["d0", "pushToStart Match (dead)", "a", "sandbox", "01"])
  }

  @Test("sessions, calls and findings are shown by what a person looks for")
  func others() throws {
    let sessions = try Self.json(
      #"""
      {"sessions": [{"name": "s1", "open": false, "openedAt": "2026-11-23T03:36:36.906Z", "faults": 1, "passed": false,
        "counts": {"pushes": 3, "calls": 2, "findings": 1}, "expectations": [{"passed": false}, {"passed": true}]}]}
      """#)
    #expect(ListRows.sessions(sessions).last == ["s1", "closed", "03:36:36.906", "3", "2", "1", "1", "1 failed"])
    let calls = try Self.json(
      #"""
      {"calls": [{"at": "2026-11-23T03:36:36.906Z", "device": "d0", "app": "a", "event": "launch", "method": "GET",
        "url": "http://x/", "sentence": "Answered 200."}]}
      """#)
    #expect(ListRows.calls(calls).last == ["03:36:36.906", "d0", "a", "launch", "GET http://x/", "Answered 200."])
    let findings = try Self.json(
      #"""
      {"findings": [{"at": "2026-11-23T03:36:36.906Z", "kind": "duplicate", "device": null,
        "apnsId": "DAC14742-0000", "sentence": "Twice."}]}
      """#)
    #expect(ListRows.findings(findings).last == ["03:36:36.906", "duplicate", "-", "DAC14742", "Twice."])
  }
}
