import TestSupport

/// Programs of the system that judge what we made.
extension Program {
  static func openssl(_ arguments: String...) throws -> End { try blockingRun(["openssl"] + arguments) }
  static func python(_ arguments: String...) throws -> End { try blockingRun(["python3"] + arguments) }
}
