import Signing

/// A reason why a server cannot start: a problem of the machine, or of a file or folder that it must use.
public struct StartFailure: Error, Sendable, CustomStringConvertible {
  public let description: String
  /// True if another file, folder or value would help; false for a problem of the machine.
  package let isOfInput: Bool

  package init(_ sentence: String, isOfInput: Bool = false) {
    description = sentence
    self.isOfInput = isOfInput
  }

  package static func wrapping<Result, Failure: Error & CustomStringConvertible>(
    _ body: () throws(Failure) -> Result
  ) throws(StartFailure) -> Result {
    do {
      return try body()
    } catch {
      let isOfInput = error is TapeFailure || (error as? SigningFailure)?.isOfInput ?? false
      throw StartFailure(error.description, isOfInput: isOfInput)
    }
  }
}

extension SigningFailure {
  /// False for what another program or the system prevents, which the same command may be able to do later.
  fileprivate var isOfInput: Bool {
    switch self {
    case .folderInUse, .folderLocked, .listFull, .unremovable, .library: false
    default: true
    }
  }
}
