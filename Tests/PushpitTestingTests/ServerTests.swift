import Configuration
import Foundation
import Glibc
import Testing

@testable import PushpitTesting

@Suite("A server for tests in Swift")
struct ServerTests {
  @Test("the folder of keys is removed when its server is released")
  func folder() async throws {
    var server: Pushpit? = try await Pushpit.start(fleet: 1)
    let folder = URL(filePath: try #require(server?.ca)).deletingLastPathComponent().path
    #expect(FileManager.default.fileExists(atPath: folder))
    await server?.stop()
    server = nil
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test("a process with a running server exits at once, and its folder of keys is removed", .timeLimit(.minutes(15)))
  func exit() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let server = try await SharedServers.server(ServerOptions(fleet: 1))
      _ = try await server.session()
      let folder = URL(filePath: server.ca).deletingLastPathComponent().path
      #expect(FileManager.default.fileExists(atPath: folder))
      print("folder \(folder)")
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    let line = try #require(output.split(separator: "\n").first { $0.hasPrefix("folder ") })
    #expect(!FileManager.default.fileExists(atPath: String(line.dropFirst("folder ".count))))
  }

  @Test("an invalid setting is an error that names its line and suggests another")
  func unknownSetting() async throws {
    let unknown = await #expect(throws: PushpitError.self) { try await Pushpit.start(settings: "\nclokc: manual") }
    #expect(unknown?.kind == .start)
    #expect(unknown?.sentence.contains("settings:2") == true && unknown?.sentence.contains("clock") == true)
    let fleet = await #expect(throws: PushpitError.self) { try await Pushpit.start(fleet: 0) }
    #expect(fleet?.sentence.contains("fleet.devices must be") == true)
  }

  /// True if only root may listen on low ports here.
  private static let hasPrivilegedPorts: Bool = {
    let first = try? String(contentsOfFile: "/proc/sys/net/ipv4/ip_unprivileged_port_start", encoding: .utf8)
    return (first.flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 1024) > 443
  }()

  @Test(
    "port 443 without the rights for it is an error that names who may use it", .enabled(if: hasPrivilegedPorts),
    .timeLimit(.minutes(15)))
  func privilegedPort() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      // Nobody, as on most machines.
      if getuid() == 0 { #expect(setgid(65534) == 0 && setuid(65534) == 0) }
      let error = await #expect(throws: PushpitError.self) {
        try await Pushpit.start(fleet: 1, settings: "listen: {sandbox: 443}")
      }
      #expect(error?.kind == .start)
      print("sentence \(error?.sentence ?? "")")
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #expect(output.contains("this user may not listen on port 443; ports below 1024 need root"), "\(output)")
  }

  @Test("settings override those for tests, and a parameter overrides settings")
  func settings() throws {
    let usual = try ServerOptions().made(state: "/x")
    #expect(usual.isForTests && usual.state == "/x" && usual.adminPort == 0)
    let own = try ServerOptions(fleet: 5, settings: "{forTests: false, state: /y, fleet: {devices: 9}}")
      .made(state: "/x")
    #expect(!own.isForTests && own.state == "/y" && own.devices == 5)
    #expect(try ServerOptions(settings: "fleet: {devices: 9}").made(state: "/x").devices == 9)
  }

  @Test("a backend in a separate process finds the server by its environment")
  func environment() async throws {
    let server = try await Pushpit.start(fleet: 1)
    #expect(server.environment == ["PUSHPIT_ADMIN": server.url])
    #expect(server.apns().hasPrefix("https://127.0.0.1:") && server.apns(.production) != server.apns())
    #expect(FileManager.default.fileExists(atPath: try server.key().p8))
    await server.stop()
  }

  @Test("a push to production is answered by production")
  func production() async throws {
    let server = try await Pushpit.start(fleet: 1)
    let answer = try await server.phone("d0").send("Goal!", .environment(.production))
    #expect(answer.status == 400 && answer.reason == .badDeviceToken || answer.reason == .badEnvironmentKeyInToken)
    await server.stop()
  }
}
