import Testing

@Suite("Read and write sizes do not matter", .timeLimit(.minutes(15))) struct CutAnywhereTests {
  @Test("Every request and every answer is complete, wherever the bytes are divided")
  func any() {
    let seed = UInt64.random(in: 0..<1_000_000_000)
    print("Cut anywhere: seeds from \(seed)")
    for number in 0..<2000 {
      let run = AnywhereRun(seed: seed + UInt64(number))
      let problems = run.play()
      guard problems.isEmpty else {
        Issue.record("seed \(seed + UInt64(number)): \(problems.prefix(3).joined(separator: "; "))")
        return
      }
    }
  }
}
