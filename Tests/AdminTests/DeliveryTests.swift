import Simulation
import Testing
import WireFormats

@testable import Admin

@Suite("Deliveries")
struct DeliveryTests {
  /// A push of each of three kinds: delivered, stored and delivered an hour later, refused.
  private func office() -> Office {
    var office = Office()
    office.push(office.token("d1"))
    _ = office.act("d2", ["do": "goOffline"])
    office.push(office.token("d2"), headers: [("apns-push-type", "alert")])
    office.push(String(repeating: "0", count: 64))
    office.advance("1h")
    _ = office.act("d2", ["do": "goOnline"])
    return office
  }

  private func rows(_ office: inout Office, _ query: String) -> [[String]] {
    let answer = office.get("/v1/deliveries" + query)
    let by = answer["by"]?.elements?.compactMap(\.string) ?? []
    return (answer["deliveries"]?.elements ?? []).map { row in
      (by + ["count"]).map { row[$0]?.string ?? row[$0]?.integer.map { String($0) } ?? "null" }
    }
  }

  @Test("delivery metrics are counted by status: each push once for each status that it reached")
  func byStatus() {
    var office = office()
    #expect(
      rows(&office, "") == [
        ["Received by APNs", "2"], ["Delivered to Device", "1"], ["Stored - Device Offline", "1"],
        ["Refused by APNs", "1"], ["Delivered to Device (From Storage)", "1"],
      ])
  }

  @Test("delivery metrics are grouped by all requested members, and a status counts in the hour when it was reached")
  func byAll() {
    var office = office()
    let (noon, one) = ("2026-03-01T12:00:00.000Z", "2026-03-01T13:00:00.000Z")
    #expect(
      rows(&office, "?by=hour,app,environment,pushType,priority,status&app=com.example.app") == [
        [noon, Office.app, "sandbox", "null", "10", "Received by APNs", "1"],
        [noon, Office.app, "sandbox", "null", "10", "Delivered to Device", "1"],
        [noon, Office.app, "sandbox", "alert", "10", "Received by APNs", "1"],
        [noon, Office.app, "sandbox", "alert", "10", "Stored - Device Offline", "1"],
        [one, Office.app, "sandbox", "alert", "10", "Delivered to Device (From Storage)", "1"],
      ])
  }

  @Test(
    "delivery metrics can be narrowed by app, environment, push type, priority and the last hours",
    arguments: [
      ("?app=com.example.store", 0), ("?environment=production", 0), ("?environment=sandbox", 5), ("?last=1m", 5),
      ("?last=60m", 5), ("?last=0s", 1), ("?pushType=alert", 3), ("?priority=10", 5), ("?priority=5", 0),
    ])
  func narrowed(query: String, count: Int) {
    var office = office()
    #expect(rows(&office, query).count == count)
  }

  @Test("delivery metrics come as CSV with a header line")
  func asCSV() {
    var office = office()
    let response = office.ask("GET", "/v1/deliveries?by=pushType,status&format=csv")
    #expect(response.contentType == "text/csv; charset=utf-8")
    #expect(
      response.text.hasPrefix(
        "pushType,status,count\r\n,Received by APNs,1\r\n,Delivered to Device,1\r\nalert,Received by APNs,1\r\n"))
  }

  @Test(
    "a query of delivery metrics is rejected with the mistake and the valid values",
    arguments: [
      ("by=state", "by", "not \"state\"; did you mean status?"), ("by=status,status", "by", "each at most once"),
      ("by=", "by", "a list of app, environment, pushType, priority, status and hour"),
      ("app=com.example.ap", "app", "did you mean com.example.app?"), ("last=yesterday", "last", "a duration such as"),
      ("format=xml", "format", "valid values are json and csv"),
    ])
  func wrongQuestions(query: String, field: String, sentence: String) {
    var office = Office()
    let response = office.ask("GET", "/v1/deliveries?" + query)
    #expect(response.status == 400)
    #expect(response.field == field)
    #expect(response.error.contains(sentence), "\(response.error)")
  }

  @Test("the deliveries of one push are its delivery log, by apns-unique-id or by apns-id")
  func ofOnePush() throws {
    var office = office()
    let push = try #require(office.get("/v1/pushes?device=d2")["pushes"]?.elements?.first)
    for member in ["apnsUniqueId", "apnsId"] {
      let id = try #require(push[member]?.string)
      let log = office.get("/v1/deliveries/\(id)")
      #expect(log["device"]?.string == "d2")
      #expect(log["apnsUniqueId"] == push["apnsUniqueId"])
      #expect(
        (log["deliveries"]?.elements ?? []).map { [$0["at"]?.string, $0["status"]?.string] } == [
          ["2026-03-01T12:00:00.000Z", "Received by APNs"], ["2026-03-01T12:00:00.000Z", "Stored - Device Offline"],
          ["2026-03-01T13:00:00.000Z", "Delivered to Device (From Storage)"],
        ])
    }
    #expect(office.ask("GET", "/v1/deliveries/9d3ffd2e-5ac2-4a21-8a3c-7d0f1d4e0000").status == 404)
    #expect(office.ask("GET", "/v1/deliveries/one").status == 400)
  }
}
