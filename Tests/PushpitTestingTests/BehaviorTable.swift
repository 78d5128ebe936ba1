import Foundation
import PushpitTesting
import Testing
import WireFormats

/// `Clients/behavior.json`: what every client library must do.
struct BehaviorTable {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let steps: [JSON]

    var testDescription: String { name }
  }

  static let repository = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static let all: [Case] = {
    let file = repository.appending(path: "Clients/behavior.json")
    let table = (try? Data(contentsOf: file)).flatMap { try? JSONValue.parse(Array($0)) } ?? .null
    return (JSON(value: table)["cases"].array ?? []).map {
      Case(name: $0["case"].string ?? "", steps: $0["steps"].array ?? [])
    }
  }()

  static var played: [Case] { all.filter { skipped[$0.name] == nil } }

  private static let noProgram = "The server is in the process of the tests: no program is looked for or started."
  private static let noProcess =
    "A server in the process of the tests cannot be killed without them; ConnectTests has one that goes away."

  /// Cases that make no sense for a library in the server's process, each with the reason.
  static let skipped = [
    "start: the program is found on the PATH": noProgram,
    "start: the program that PUSHPIT_BINARY names comes before the PATH": noProgram,
    "start: no program anywhere": noProgram,
    "start: a program is named that is not there": noProgram,
    "start: a program of another version": noProgram,
    "start: a program so old that it does not know the flags": noProgram,
    "start: a program that is not Pushpit": noProgram,
    "start: a program that is never ready": noProgram,
    "start: a program that ends before it is ready": noProgram,
    "start: a flag that does not exist": "There are no flags; ServerTests has an unknown setting.",
    "start: port 443 without the rights for it": "There are no flags, and tests listen on free ports.",
    "a server that does not answer any more": noProcess,
    "a server that goes away in the middle of a test": noProcess,
    "a server that goes away inside a scope: the test's own error is the one that is told": noProcess,
  ]
}
