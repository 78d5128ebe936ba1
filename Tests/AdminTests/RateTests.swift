import Simulation
import Testing
import Timeline
import WireFormats

@testable import Admin

@Suite("Pushes per second")
struct RateTests {
  private func answers(_ office: inout Office) -> [String: [Int64]] {
    let members = office.get("/v1/rates")["answers"]?.members ?? []
    return Dictionary(
      uniqueKeysWithValues: members.map { ($0.key, ($0.value.elements ?? []).compactMap(\.integer)) })
  }

  @Test("the rates of pushes are counted from the ledger by answer, oldest second first, without the current second")
  func byAnswer() {
    var office = Office()
    office.push(office.token("d1"))
    office.push(String(repeating: "0", count: 64))
    office.wall = office.wall.advanced(by: .seconds(2))
    office.push(office.token("d1"))
    #expect(answers(&office)["200"]?.suffix(2) == [1, 0], "the current second is not over")
    office.wall = office.wall.advanced(by: .seconds(1))
    let found = answers(&office)
    #expect(found["200"]?.suffix(4) == [0, 1, 0, 1] && found["4xx"]?.suffix(4) == [0, 1, 0, 0])
    #expect(found["429"] == Array(repeating: 0, count: 120) && found["5xx"]?.count == 120)
    office.wall = office.wall.advanced(by: .seconds(119))
    #expect(answers(&office)["200"]?.prefix(2) == [1, 0], "the first push is out of the two minutes")
  }

  @Test("the rates of pushes begin after the seconds whose pushes were dropped from the ledger")
  func forgotten() {
    var office = Office(pushLog: 3)
    for _ in 0..<5 {
      office.wall = office.wall.advanced(by: .seconds(1))
      office.push(office.token("d1"))
    }
    office.wall = office.wall.advanced(by: .seconds(1))
    #expect(answers(&office)["200"] == [1, 1])
    #expect(office.get("/v1/rates")["from"] == "2026-03-01T12:00:04.000Z")
  }

  @Test("the rates of pushes are unknown for all seconds if the ledger keeps pushes of the current second only")
  func currentSecond() {
    var office = Office(pushLog: 3)
    for _ in 0..<5 { office.push(office.token("d1")) }
    #expect(answers(&office)["200"] == [])
  }

  @Test("the rates of pushes are known again after a reset of everything")
  func reset() {
    var office = Office()
    office.push(office.token("d1"))
    _ = office.post("/v1/reset", ["everything": true])
    #expect(answers(&office)["200"] == Array(repeating: 0, count: 120))
  }

  @Test("the rates of pushes are zero without a push")
  func none() {
    var office = Office()
    #expect(answers(&office)["200"] == Array(repeating: 0, count: 120))
  }
}
