import Simulation
import Testing
import WireFormats

@testable import Admin
@testable import Scenarios

@Suite("A reset")
struct ResetTests {
  @Test("a reset of everything forgets pushes, sessions and faults, and sets the clock back; numbers continue")
  func everything() throws {
    var office = Office()
    office.push(office.token("d0"))
    #expect(office.post("/v1/sessions", ["name": "s", "devices": ["d0"]]).status == 201)
    #expect(office.post("/v1/faults", ["name": "f", "then": ["delay": "1s"]]).status == 200)
    #expect(office.act("d1", ["do": "goOffline"]).status == 200)
    office.advance("2d")
    let later = office.get("/v1/clock")["now"]?.string

    let answer = office.post("/v1/reset", ["everything": true])
    #expect(answer.status == 200, "\(answer.text)")
    #expect(
      answer.json["deleted"] == ["f"] && answer.json["began"]?.string?.hasPrefix("2026-03-01T12:00:00") == true)
    #expect(office.get("/v1/pushes")["pushes"]?.elements == [])
    #expect(office.get("/v1/sessions")["sessions"]?.elements == [])
    #expect(office.get("/v1/faults")["faults"]?.elements == [])
    #expect(office.get("/v1/devices?online=false")["devices"]?.elements == [])
    #expect(office.get("/v1/clock")["now"]?.string != later)
    office.push(office.token("d0"))
    #expect(office.newestPush()?["sequence"]?.integer == 2)
    #expect(office.newestPush()?["answer"]?["status"]?.integer == 200)
  }

  @Test("a reset of everything names no session")
  func contradiction() {
    var office = Office()
    #expect(office.post("/v1/sessions", ["name": "s", "devices": ["d0"]]).status == 201)
    let answer = office.post("/v1/reset", ["everything": true, "session": "s"])
    #expect(answer.status == 422 && answer.field == "session" && answer.error.contains("leave session out"))
    #expect(office.get("/v1/sessions")["sessions"]?.elements?.count == 1)
  }

  @Test("a reset with everything false removes faults only")
  func faultsOnly() {
    var office = Office()
    office.push(office.token("d0"))
    #expect(office.post("/v1/faults", ["name": "f", "then": ["delay": "1s"]]).status == 200)
    #expect(office.post("/v1/reset", ["everything": false]).json == ["deleted": ["f"]])
    #expect(office.get("/v1/pushes")["pushes"]?.elements?.count == 1)
  }

  @Test("a reset of everything is refused while a scenario runs")
  func scenario() {
    var office = Office()
    office.simulator.readers.logs.observer = Observer([], apps: [], began: Office.noon)
    let answer = office.post("/v1/reset", ["everything": true])
    #expect(answer.status >= 400 && answer.error.contains("A scenario is running"))
  }

  @Test("a viewer of events continues after a reset with the events of the new phones")
  func viewers() {
    var office = Office()
    office.push(office.token("d0"))
    _ = office.get("/v1/clock")
    var viewer = EventViewer(ViewerFilter(), after: 0)
    _ = viewer.next(office.simulator.readers, at: 0)
    #expect(office.post("/v1/reset", ["everything": true]).status == 200)
    office.push(office.token("d0"))
    _ = office.get("/v1/clock")
    let pushes = viewer.next(office.simulator.readers, at: 1_000_000_000).compactMap { message -> UInt64? in
      guard case .event(let sighting) = message, case .push(let record) = sighting.event else { return nil }
      return record.sequence
    }
    #expect(pushes == [2])
  }
}
