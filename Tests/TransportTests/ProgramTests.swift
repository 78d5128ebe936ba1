import Glibc
import TestSupport
import Testing

@Suite("A program that a test starts", .timeLimit(.minutes(15))) struct ProgramTests {
  @Test("inherits no descriptor but its three streams") func inheritsNothing() async throws {
    // Without close-on-exec, which `dup` removes.
    let file = dup(STDERR_FILENO)
    defer { close(file) }
    try #require(file >= 0 && fcntl(file, F_GETFD) == 0)
    #expect(try await Program.run("test", "-e", "/proc/self/fd/2").status == 0)
    #expect(try await Program.run("test", "-e", "/proc/self/fd/\(file)").status == 1)
  }

  @Test("has its input to the end, and both of its outputs are read as one") func streams() async throws {
    let echo = try await Program.run("sh", "-c", "cat; echo then >&2; exit 7", input: Array("first ".utf8))
    #expect(echo.text == "first then\n" && echo.status == 7)
  }

  @Test("may end before it has read its input, however much that is") func endsEarly() async throws {
    let program = try await Program.run("head", "-c", "1", input: [UInt8](repeating: 0x61, count: 1 << 20))
    #expect(program.text == "a" && program.status == 0)
  }

  @Test("ends with the number of the signal that stops it") func stopped() async throws {
    let program = try Program(["cat"])
    program.stop()
    #expect(await program.end().status == SIGKILL)
    program.stop()
  }

  @Test("is an error where there is no such program") func missing() async throws {
    await #expect(throws: Program.NotStarted.self) { try await Program.run("no-such-program-of-pushpit") }
  }
}
