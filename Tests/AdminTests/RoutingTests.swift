import Testing
import WireFormats

@testable import Admin

@Suite("A request to the admin API")
struct RoutingTests {
  @Test("requests for health, time and version are answered")
  func smallThings() {
    var office = Office()
    office.desk = AdminService(
      version: "0.1.0",
      server: {
        var description = ServerDescription()
        description.ready = ["protocol": 1]
        return description
      })
    #expect(office.ask("GET", "/health").text == "{\"status\":\"ok\"}\n")
    #expect(office.get("/version") == ["version": "0.1.0", "name": "pushpit", "protocol": 1])
    let page = office.ask("GET", "/")
    #expect(page.status == 200 && page.contentType.hasPrefix("text/plain"))
    for route in Router.routes { #expect(page.text.contains(route.path)) }
    #expect(office.ask("GET", "http://localhost:2190/health").status == 200)
    #expect(office.ask("GET", "/health").header("cache-control") == "no-store")
  }

  @Test("a request for HEAD is answered like GET, without the body")
  func head() {
    var office = Office()
    let response = office.ask("HEAD", "/v1/devices")
    #expect(response.status == 200 && response.contentType == "application/json" && response.body.isEmpty)
  }

  @Test(
    "a request for an unknown path returns 404 and lists the valid paths",
    arguments: [
      "/healthy", "/v1/device", "/v1", "/v2/devices", "/v1/devices/", "/v1/devices//actions", "/v1//devices",
      "/v1/devices/d1/screens", "/%2F", "/V1/devices", "/v1/d%65vices/x/y/z",
    ])
  func unknownPath(path: String) {
    var office = Office()
    let response = office.ask("GET", path)
    #expect(response.status == 404)
    #expect(response.error.contains("/health") || response.error.contains("/v1/devices"))
  }

  @Test(
    "a request with the wrong method returns 405 and lists the valid methods",
    arguments: [
      ("POST", "/health", "GET, HEAD"), ("DELETE", "/v1/clock", "GET, HEAD, POST"),
      ("GET", "/v1/devices/d1/actions", "POST"), ("HEAD", "/v1/devices/d1/actions", "POST"),
      ("OPTIONS", "/v1/tokens", "GET, HEAD, POST"), ("get", "/health", "GET, HEAD"),
    ])
  func wrongMethod(method: String, path: String, allow: String) {
    var office = Office()
    let response = office.ask(method, path)
    #expect(response.status == 405 && response.header("allow") == allow)
  }

  @Test(
    "a request with a target that cannot be decoded returns 400",
    arguments: [
      "/v1/devices?app=%", "/v1/devices?app=%4", "/v1/%zz", "/v1/%ff", "/v1/pushes?topic=%c3%28", "*", "", "v1",
    ])
  func broken(target: String) {
    var office = Office()
    let response = office.ask("GET", target)
    #expect(response.status == 400 && !response.error.isEmpty)
  }

  @Test("the target of a request is split before it is decoded")
  func decoding() throws {
    let target = try RequestTarget("/v1/a%2Fb/%C3%A4?app=x%26y+z&os=1=2&&flag")
    #expect(target.segments == ["v1", "a/b", "ä"])
    #expect(target.query.map(\.name) == ["app", "os", "flag"])
    #expect(target.query.map(\.value) == ["x&y z", "1=2", ""])
    #expect(try RequestTarget("/").segments.isEmpty)
  }

  @Test(
    "a request with an invalid parameter returns 400 and names the parameter",
    arguments: [
      ("/v1/devices?limit=0", "limit"), ("/v1/devices?limit=1001", "limit"), ("/v1/devices?limit=-1", "limit"),
      ("/v1/devices?limit=%2B5", "limit"), ("/v1/devices?limit=", "limit"), ("/v1/devices?limit=1e2", "limit"),
      ("/v1/devices?limit=99999999999999999999", "limit"), ("/v1/devices?limit=1&limit=2", "limit"),
      ("/v1/devices?state=asleep", "state"), ("/v1/devices?cursor=nonsense", "cursor"),
      ("/v1/devices?cursor=4294967296", "cursor"), ("/v1/devices?cursor=1.2", "cursor"),
      ("/v1/devices?os=", "os"), ("/v1/devices?os=18.", "os"), ("/v1/devices?os=%2B18", "os"),
      ("/v1/devices?os=seventeen", "os"), ("/v1/tokens?cursor=1", "cursor"), ("/v1/tokens?cursor=1.-2", "cursor"),
      ("/v1/tokens?kind=fax", "kind"), ("/v1/tokens?environment=moon", "environment"), ("/v1/tokens?live=yes", "live"),
      ("/v1/pushes?status=ok", "status"), ("/v1/pushes?status=99", "status"), ("/v1/pushes?reason=badtopic", "reason"),
      ("/v1/pushes?apnsId=7", "apnsId"), ("/v1/pushes?device=17", "device"), ("/v1/pushes?cursor=x", "cursor"),
      ("/v1/troubles?cursor=-1", "cursor"), ("/v1/connections?limit=all", "limit"),
    ])
  func invalidParameter(target: String, field: String) {
    var office = Office()
    let response = office.ask("GET", target)
    #expect(response.status == 400 && response.field == field)
  }

  @Test("a request with an unknown parameter returns 400 and suggests the nearest")
  func unknownParameter() {
    var office = Office()
    let response = office.ask("GET", "/v1/devices?limt=2")
    #expect(response.status == 400 && response.field == "limt")
    #expect(response.error.hasSuffix("/v1/devices has app, os, user, online, limit and cursor; did you mean limit?"))
    #expect(office.ask("GET", "/health?verbose=1").error.hasSuffix("/health has no parameters."))
    #expect(office.ask("GET", "/v1/devices?state=ofline").error.hasSuffix("did you mean online?"))
  }

  @Test("a request is answered with a short sentence, however long the request is")
  func longNonsense() {
    var office = Office()
    let long = String(repeating: "x", count: 100_000)
    #expect(office.ask("GET", "/\(long)").error.utf8.count < 1000)
    #expect(office.ask("GET", "/v1/devices/\(long)").error.utf8.count < 1000)
    #expect(office.ask("GET", "/v1/devices?\(long)=1").error.utf8.count < 1000)
    #expect(office.ask(long, "/health").error.utf8.count < 1000)
  }

  @Test("an error sentence replaces bytes that are not text")
  func noText() {
    var office = Office()
    let response = office.ask("POST", "/v1/clock", headers: Office.json, body: [0xFF, 0xFE, 0x00])
    #expect(response.status == 400 && !response.error.isEmpty)
  }
}
