/// Tries what a client must do within a time, with longer and longer times: a short one may be over before a slow
/// machine has come so far. The longer ones are needed only there.
///
/// - Returns: the first value that is not nil.
func inTime<Value>(_ attempt: (Duration) async throws -> Value?) async throws -> Value? {
  for time in [Duration.seconds(1), .seconds(10), .seconds(100)] {
    if let value = try await attempt(time) { return value }
  }
  return nil
}
