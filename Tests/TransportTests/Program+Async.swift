import TestSupport
import Transport

extension Program {
  static func run(_ arguments: String..., input: [UInt8] = []) async throws -> End {
    try await aside { Result { try blockingRun(arguments, input: input) } }.get()
  }

  func end() async -> End { await aside { [self] in blockingEnd() } }
}

/// Does on a thread of its own what blocks: the threads of the tests are as few as the cores.
func aside<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    let thread = LoopThread { continuation.resume(returning: work()) }
    guard let thread else { return continuation.resume(returning: work()) }
    thread.detach()
  }
}
