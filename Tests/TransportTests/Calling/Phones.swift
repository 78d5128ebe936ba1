import Transport

/// An `AppCaller` whose ended calls can be waited for.
final class Phones: Sendable {
  let caller: AppCaller
  private let ends: AsyncStream<AppCallEnd>
  private let record: AsyncStream<AppCallEnd>.Continuation

  init(_ change: (inout AppCallerOptions) -> Void = { _ in }) throws {
    var options = AppCallerOptions()
    change(&options)
    let (ends, record) = AsyncStream.makeStream(of: AppCallEnd.self)
    (self.ends, self.record) = (ends, record)
    caller = try AppCaller(options) { batch in for end in batch { record.yield(end) } }
  }

  func start(_ numbers: ClosedRange<UInt64>, _ url: String, timeout: Duration = .seconds(50)) {
    caller.start(numbers.map { AppCall(number: $0, method: "GET", url: url, timeout: timeout) })
  }

  func ends(_ count: Int) async -> [AppCallEnd] {
    var found: [AppCallEnd] = []
    for await end in ends {
      found.append(end)
      if found.count == count { break }
    }
    return found
  }

  /// Stops, and gives what had not been waited for yet.
  func stop() async -> [AppCallEnd] {
    let caller = caller
    await aside { caller.stop() }
    record.finish()
    var found: [AppCallEnd] = []
    for await end in ends { found.append(end) }
    return found
  }

  func call(_ call: AppCall) async -> AppCallEnd? {
    caller.start([call])
    return await ends(1).first
  }

  func get(_ url: String, timeout: Duration = .seconds(50)) async -> AppCallEnd? {
    await call(AppCall(number: 1, method: "GET", url: url, timeout: timeout))
  }
}

extension AppCallEnd {
  var answer: AppCall.Answer? { try? result.get() }

  var failure: AppCall.Failure? {
    if case .failure(let failure) = result { failure } else { nil }
  }

  var text: String? { answer.map { String(decoding: $0.body, as: UTF8.self) } }
}
