/// How a call ended. Each call that is started ends exactly once.
package struct AppCallEnd: Sendable {
  package let number: UInt64
  package let result: Result<AppCall.Answer, AppCall.Failure>
  /// From `start` to the end, on the steady clock.
  package let took: Duration

  package init(number: UInt64, result: Result<AppCall.Answer, AppCall.Failure>, took: Duration) {
    self.number = number
    self.result = result
    self.took = took
  }
}
