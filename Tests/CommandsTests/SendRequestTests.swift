import Commands
import Configuration
import Pushpit
import TestSupport
import Testing

@Suite("A push that a person sends by hand")
struct SendRequestTests {
  @Test("is answered, the admin API tells what became of it, and the doctor finds nothing wrong")
  func answers() async throws {
    let folder = try TemporaryFolder()
    var settings = Settings()
    settings.takesFreePorts = true
    settings.state = folder.path
    settings.devices = 3
    settings.wire.loops = 1
    let server = Server(settings)
    let ready = try await server.start()
    let target = RunningServer(StateFolder(folder.path), gateway: "https://\(ready.sandbox)", admin: ready.admin)
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
