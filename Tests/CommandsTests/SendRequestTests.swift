import ClientCommands
import Configuration
import Pushpit
import TestSupport
import Testing

@Suite("A push sent with `pushpit send`")
struct SendRequestTests {
  @Test("the push is answered 200, the admin API has its story, and `pushpit doctor` finds no problem")
  func answers() async throws {
    let folder = try TemporaryFolder()
    var settings = Settings()
    settings.takesFreePorts = true
    settings.state = folder.path
    settings.devices = 3
    settings.wire.loops = 1
    let server = Server(settings)
    let ready = try await server.start()
    let target = RunningServer(
      try ServerAddress(admin: ready.admin, state: folder.path), gateway: "https://\(ready.sandbox)")
    let outcome = Result {
      try SendRequest(to: .device("d1"), payload: Array(#"{"aps":{"alert":"Hi"}}"#.utf8)).send(to: target)
    }
    let isWell = Diagnosis(target).isGood
    await server.stop()
    let sent = try outcome.get()
    #expect(sent.status == 200 && sent.body.isEmpty && sent.id.count == 36)
    #expect(sent.story?.isEmpty == false)
    #expect(isWell)
  }
}
