import Testing

@Suite("Cut anywhere, answered anywhere", .timeLimit(.minutes(2))) struct CutAnywhereTests {
  @Test("Every request is what was sent and every answer what was given, wherever the bytes are cut")
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
