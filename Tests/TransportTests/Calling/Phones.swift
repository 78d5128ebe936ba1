import Transport

/// An `AppCaller` whose ended calls can be waited for.
final class Phones: Sendable {
  let caller: AppCaller
  private let ends: AsyncStream<AppCallEnd>
  private let record: AsyncStream<AppCallEnd>.Continuation

  init(_ change: (inout AppCallerOptions) -> Void = { _ in }) throws {
    var options = AppCallerOptions()
    // However long this machine takes between two calls.
    options.idleSeconds = 3600
    change(&options)
    let (ends, record) = AsyncStream.makeStream(of: AppCallEnd.self)
    (self.ends, self.record) = (ends, record)
    caller = try AppCaller(options) { batch in for end in batch { record.yield(end) } }
  }

  /// Longer than any test may take: time decides only where a test says so.
  static let patience = Duration.seconds(600)

  func start(_ numbers: ClosedRange<UInt64>, _ url: String, timeout: Duration = patience) {
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
    var call = call
    call.timeout = Self.patience
    caller.start([call])
    return await ends(1).first
  }

  func get(_ url: String, timeout: Duration = patience) async -> AppCallEnd? {
    start(1...1, url, timeout: timeout)
    return await ends(1).first
  }
}

extension AppCallEnd {
  var answer: AppCall.Response? { try? result.get() }

  var failure: AppCall.Failure? {
    if case .failure(let failure) = result { failure } else { nil }
  }

  var text: String? { answer.map { String(decoding: $0.body, as: UTF8.self) } }
}
