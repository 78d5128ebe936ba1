import Orders
import Simulation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The file of a tape, open for writing.
struct TapeOutput: Sendable {
  private let path: String
  private var file: Int32
  private var encoder = TapeEncoder()
  private var bytes: [UInt8] = []
  /// The reason why writing has stopped.
  private(set) var failure: TapeFailure?

  /// Requests contain provider tokens, so only the file's owner may read it.
  private static let mode: mode_t = 0o600

  init(_ path: String, _ header: TapeHeader) throws(TapeFailure) {
    self.path = path
    file = try Self.claim(path)
    do throws(OutputProblem) {
      try OutputClaim.truncate(file)
    } catch {
      close(file)
      throw Self.failure(path, error)
    }
    var facts = stat()
    // Also if the file existed before; special files such as pipes keep their mode.
    if fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG { fchmod(file, Self.mode) }
    attempt { output throws(TapeProblem) in output.bytes = try output.encoder.begin(header) }
    flush()
    if let failure {
      close(file)
      throw failure
    }
  }

  /// Continues a tape after its first bytes, in the same file or in a copy.
  init(continuing tape: ResumedTape, to path: String) throws(TapeFailure) {
    let (source, count) = (tape.path, tape.bytes)
    self.path = path
    encoder = tape.encoder
    file = try Self.claim(path)
    do throws(TapeFailure) {
      guard let size = off_t(exactly: count) else { throw Self.failure(path, .system("it would be too long")) }
      if OutputClaim.leads(source, to: file) {
        guard !tape.isDamaged else { throw Self.damaged(tape) }
      } else {
        guard ftruncate(file, 0) == 0 else { throw Self.failure(path, .last) }
        try copy(source, count)
      }
      guard ftruncate(file, size) == 0, lseek(file, size, SEEK_SET) == size else { throw Self.failure(path, .last) }
      fchmod(file, Self.mode)
    } catch {
      close(file)
      throw error
    }
  }

  /// Opens the file, unless another process is writing it, or it has anything but a tape.
  private static func claim(_ path: String) throws(TapeFailure) -> Int32 {
    let file: Int32
    do throws(OutputProblem) {
      file = try OutputClaim.take(path, mode: mode, waits: true)
    } catch {
      throw failure(path, error)
    }
    let beginning = beginning(of: path, file)
    if beginning == .known { return file }
    close(file)
    if case .newer(let format) = beginning {
      throw TapeFailure("\(path) is a tape of format \(format), which a newer Pushpit wrote, so no tape replaces it.")
    }
    throw TapeFailure("\(path) is a file and no tape, so no tape replaces it.")
  }

  /// The kind of a file. A tape replaces only what is empty or begins as a tape does; anything else was probably named
  /// by mistake.
  private static func beginning(of path: String, _ file: Int32) -> TapeFrames.Beginning {
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size > 0 else { return .known }
    do throws(ReplayProblem) {
      let input = try TapeInput(path)
      return TapeFrames.beginning(try input.read(TapeFrames.beginningCount) ?? [])
    } catch {
      return .noTape
    }
  }

  private static func failure(_ path: String, _ problem: OutputProblem) -> TapeFailure {
    TapeFailure("the tape \(path) \(problem.predicate).")
  }

  /// Continuing it in place would delete what follows the damage.
  private static func damaged(_ tape: ResumedTape) -> TapeFailure {
    TapeFailure(
      "the tape \(tape.path) is damaged at byte \(tape.bytes), and may have more after that; name another file with"
        + " --tape to continue a copy from there.")
  }

  /// Appends the first bytes of another file.
  private mutating func copy(_ source: String, _ count: UInt64) throws(TapeFailure) {
    var left = count
    do throws(ReplayProblem) {
      let input = try TapeInput(source)
      while left > 0, let portion = try input.read(Int(min(left, 1 << 20))) {
        bytes = portion
        left -= UInt64(portion.count)
        flush()
        if failure != nil { break }
      }
    } catch {
      throw TapeFailure(error.description)
    }
    if let failure { throw failure }
    guard left == 0 else { throw TapeFailure("the tape \(source) has become shorter in the meantime.") }
  }

  mutating func write(_ batches: [TapeBatch]) {
    for batch in batches {
      attempt { output throws(TapeProblem) in try output.encoder.add(batch, to: &output.bytes) }
      // In parts, so that a crash loses little.
      if bytes.count > 1 << 18 { flush() }
    }
    flush()
  }

  mutating func finish() {
    guard file >= 0 else { return }
    attempt { output throws(TapeProblem) in try output.encoder.end(into: &output.bytes) }
    flush()
    if close(file) != 0, failure == nil { fail(String(cString: strerror(errno))) }
    file = -1
  }

  private mutating func attempt(_ body: (inout TapeOutput) throws(TapeProblem) -> Void) {
    guard failure == nil else { return }
    do throws(TapeProblem) {
      try body(&self)
    } catch {
      switch error {
      case .tooLong(let count): fail("one call has \(count) bytes, but a record holds at most 16 MB")
      }
    }
  }

  private mutating func flush() {
    defer { bytes.removeAll(keepingCapacity: true) }
    guard failure == nil, file >= 0 else { return }
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        writeBytes(to: file, from: $0.baseAddress.map { $0 + done }, count: $0.count - done)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return fail(String(cString: strerror(errno))) }
      done += count
    }
  }

  private mutating func fail(_ why: String) { failure = TapeFailure("The tape \(path) ends here: \(why).") }
}

/// `write` of the C library, which the name of the method above hides.
private func writeBytes(to file: Int32, from bytes: UnsafeRawPointer?, count: Int) -> Int { write(file, bytes, count) }
