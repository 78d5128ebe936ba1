import Dispatch
import Foundation
import PushpitTesting
import Testing

@Suite("A server that runs already", .timeLimit(.minutes(15)))
struct ConnectTests {
  private func problem(_ body: () async throws -> Void) async -> PushpitError? {
    await #expect(throws: PushpitError.self) { try await body() }
  }

  @Test("a server that goes away in the middle of a test is reported at once, in a sentence")
  func gone() async throws {
    let own = try await Pushpit.start(fleet: 1)
    let other = try await Pushpit.connect(own.url)
    let session = try await other.session()
    try await session.phone().send("Goal!")
    await own.stop()
    for error in [
      await problem { _ = try await session.phone().screen() },
      await problem { try await session.phone().expect(.notifications(2), within: .seconds(3600)) },
      await problem { _ = try await session.close() },
    ] {
      #expect(error?.kind == .noServer)
      #expect(error?.sentence.hasPrefix("No server answers at \(own.url) (") == true, "\(error?.sentence ?? "")")
      #expect(error?.sentence.hasSuffix("is it still running?") == true)
    }
    let unsent = await problem { try await session.phone().send("Again!") }
    #expect(unsent?.kind == .noServer)
  }

  @Test("a test's own error is reported, not that of the session whose server has gone")
  func ownError() async throws {
    struct Own: Error {}
    let own = try await Pushpit.start(fleet: 1)
    let other = try await Pushpit.connect(own.url)
    await #expect(throws: Own.self) {
      try await other.withSession { _ in
        await own.stop()
        throw Own()
      }
    }
  }

  @Test("a server that does not answer is reported in a sentence, when its time is over")
  func silent() async throws {
    let silent = try await Elsewhere(answering: nil)
    let error = await problem { _ = try await Pushpit.connect(silent.url, timeout: .milliseconds(300)) }
    #expect(error?.kind == .noServer)
    #expect(error?.sentence == "The server at \(silent.url) did not answer GET /version in 0.3 s.")
  }

  @Test("a time limit shorter than a millisecond is a limit, too, and one of nothing is refused")
  func limits() async throws {
    let silent = try await Elsewhere(answering: nil)
    // So that the test fails, and does not hang, without a limit.
    DispatchQueue.global().asyncAfter(deadline: .now() + 60) { silent.end() }
    let short = await problem { _ = try await Pushpit.connect(silent.url, timeout: .microseconds(1)) }
    #expect(short?.sentence == "The server at \(silent.url) did not answer GET /version in 0.000001 s.")
    for timeout in [Duration.zero, .seconds(-1)] {
      let error = await problem { _ = try await Pushpit.connect(silent.url, timeout: timeout) }
      #expect(error?.kind == .misuse && error?.sentence.hasPrefix("timeout must be more than 0") == true)
    }
  }

  @Test("a server of another version is rejected", arguments: ["99.0.0", "0.0.1"])
  func version(_ version: String) async throws {
    let other = try await Elsewhere(answering: #"{"name":"pushpit","version":"\#(version)"}"#)
    let error = await problem { _ = try await Pushpit.connect(other.url) }
    #expect(error?.kind == .wrongVersion)
    #expect(error?.sentence.hasPrefix("The server at \(other.url) is Pushpit \(version), and this library") == true)
    #expect(error?.sentence.hasSuffix("use the same version of both.") == true)
  }

  @Test("another program with a version is rejected as a server")
  func name() async throws {
    let other = try await Elsewhere(answering: #"{"name":"nginx","version":"0.1.0"}"#)
    let error = await problem { _ = try await Pushpit.connect(other.url) }
    #expect(error?.sentence == "\(other.url) is not Pushpit: its answer to GET /version does not name Pushpit.")
  }

  @Test("the address of a server may be without http, and must be that of a host")
  func addresses() async throws {
    let own = try await Pushpit.start(fleet: 1)
    let other = try await Pushpit.connect(String(own.url.dropFirst("http://".count)))
    #expect(other.url == own.url && other.apns() == own.apns() && other.apns(.production) == own.apns(.production))
    #expect(try other.key() == own.key() && other.ca == own.ca)
    for wrong in ["https://127.0.0.1:2190", "http://", "", "a b"] {
      let error = await problem { _ = try await Pushpit.connect(wrong) }
      #expect(error?.sentence == "\(wrong) is not the address of an admin API, such as http://127.0.0.1:2190.")
    }
    await own.stop()
  }

  @Test("copies of a server's files are removed with the last reference to it")
  func copies() async throws {
    let own = try await Pushpit.start(fleet: 1)
    try Data("Another server's.".utf8).write(to: URL(filePath: own.ca))
    var far: Pushpit? = try await Pushpit.connect(own.url)
    let copy = try #require(try far?.key().p8)
    #expect(copy != (try own.key().p8))
    let mode = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
    far = nil
    #expect(!FileManager.default.fileExists(atPath: copy))
    await own.stop()
  }
}
