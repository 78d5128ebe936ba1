import Glibc
import TestSupport
import Testing

@Suite("A program that a test starts", .timeLimit(.minutes(15))) struct ProgramTests {
  @Test("A program inherits no descriptor but its three streams") func inheritsNothing() async throws {
    // Without close-on-exec, which `dup` removes.
    let file = dup(STDERR_FILENO)
    defer { close(file) }
    try #require(file >= 0 && fcntl(file, F_GETFD) == 0)
    #expect(try await Program.run("test", "-e", "/proc/self/fd/2").status == 0)
    #expect(try await Program.run("test", "-e", "/proc/self/fd/\(file)").status == 1)
  }

  @Test("A program gets its input to the end, and both of its outputs are read as one") func streams() async throws {
    let echo = try await Program.run("sh", "-c", "cat; echo then >&2; exit 7", input: Array("first ".utf8))
    #expect(echo.text == "first then\n" && echo.status == 7)
  }

  @Test("A program may end before it has read its input, of any length") func endsEarly() async throws {
    let program = try await Program.run("head", "-c", "1", input: [UInt8](repeating: 0x61, count: 1 << 20))
    #expect(program.text == "a" && program.status == 0)
  }

  @Test("A program that a signal stops ends with the signal's number") func stopped() async throws {
    let program = try Program(["cat"])
    program.stop()
    #expect(await program.end().status == SIGKILL)
    program.stop()
  }

  @Test("A program that does not exist is an error") func missing() async throws {
    await #expect(throws: Program.NotStarted.self) { try await Program.run("no-such-program-of-pushpit") }
  }
}
