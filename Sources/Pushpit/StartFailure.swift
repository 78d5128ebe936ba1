/// Why a server cannot start: a problem of the machine, not of the configuration.
public struct StartFailure: Error, Sendable, CustomStringConvertible {
  public let description: String

  package init(_ sentence: String) { description = sentence }

  package static func wrapping<Result, Failure: Error & CustomStringConvertible>(
    _ body: () throws(Failure) -> Result
  ) throws(StartFailure) -> Result {
    do {
      return try body()
    } catch {
      throw StartFailure(error.description)
    }
  }
}
