import Configuration
import Grammar
import Simulation
import Timeline

/// Reads `backend:` of a scenario.
struct BackendReader {
  static let type = ValueType.members([
    ("command", .either([.text(), .list(of: .text(), least: 1)])), ("directory", .text()), ("url", .text()),
    ("ready", .text()), ("tick", .text()), ("step", .duration), ("tokens", tokens.type), ("starts", .duration),
    ("answers", .duration), ("stop", .duration), ("persists", .truth), ("reset", .text()),
  ])
  private static let tokens = FieldForm<Bool>.choice([("machine", false), ("world", true)])

  /// The scenario's file name as the user gave it.
  let fileName: String

  func read(_ node: SourceNode) throws(InputProblem) -> BackendPlan {
    let fields = try Fields(node, "backend", known: Self.type.keys)
    let folder = Self.folder(of: fileName)
    var plan = BackendPlan(directory: folder)
    if fields.has("command") { plan.command = try command(fields) }
    if let directory = try fields.text("directory") {
      plan.directory = AbsolutePath.of(directory.hasPrefix("/") ? directory : folder + "/" + directory)
      guard !plan.command.isEmpty else {
        throw fields.problem("directory", "directory needs command; it is the command's working directory.")
      }
    }
    plan.url = try url(fields, "url")
    plan.ready = try url(fields, "ready", besidePath: plan.url)
    plan.tick = try url(fields, "tick", besidePath: plan.url)
    plan.reset = try url(fields, "reset", besidePath: plan.url)
    guard plan.reset == nil || !plan.command.isEmpty else {
      throw fields.problem(
        "reset", "reset needs command; a backend that Pushpit does not start is never started again.")
    }
    if let step = try fields.duration("step") {
      guard plan.tick != nil else {
        throw fields.problem(
          "step", "step needs tick; it is how far time moves between two ticks.")
      }
      guard step > .zero, step <= BackendPlan.longestStep else {
        throw fields.problem(
          "step",
          "step must be more than 0s and at most \(DurationText.write(BackendPlan.longestStep)): an app that a push has"
            + " woken runs for 30s, and a longer step would end it before its calls are answered.")
      }
      plan.step = step
    }
    plan.stampsByWorld = try Self.tokens.read(fields, "tokens") ?? false
    plan.patience = try Self.wait(fields, "starts") ?? plan.patience
    plan.answersWithin = try Self.wait(fields, "answers") ?? plan.answersWithin
    plan.persists = try fields.truth("persists") ?? false
    guard !plan.persists || !plan.command.isEmpty else {
      throw fields.problem("persists", "persists needs command; only a backend that Pushpit starts can be stopped.")
    }
    plan.grace = try fields.duration("stop") ?? plan.grace
    guard !plan.command.isEmpty || plan.url != nil else {
      throw fields.problem(
        nil, "backend needs a url, such as http://127.0.0.1:8080, or a command that starts it, or both.")
    }
    return plan
  }

  /// A list of words, or one text that is split like in a shell.
  private func command(_ fields: Fields) throws(InputProblem) -> [String] {
    let words = try fields.texts("command") ?? []
    let split: [String]
    do throws(ShellWords.Problem) {
      split = fields["command"]?.elements == nil ? try ShellWords.split(words.first ?? "") : words
    } catch {
      throw fields.problem("command", "command: \(error).")
    }
    guard !split.isEmpty else {
      throw fields.problem("command", "command must be a program with its arguments, such as [python3, server.py].")
    }
    return split
  }

  private func url(
    _ fields: Fields, _ name: String, besidePath base: String? = nil
  ) throws(InputProblem) -> String? {
    guard let text = try fields.text(name) else { return nil }
    if BackendURL.isValid(BackendPlan.filled(text, port: 1)) { return text }
    guard name != "url", text.hasPrefix("/") else {
      throw fields.problem(
        name,
        "\(name) must be a URL such as http://127.0.0.1:8080\(name == "url" ? "" : ", or a path such as /\(name)").")
    }
    guard base != nil else { throw fields.problem(name, "\(name) is a path, which needs url:.") }
    return text
  }

  private static func wait(_ fields: Fields, _ name: String) throws(InputProblem) -> Duration? {
    guard let time = try fields.duration(name) else { return nil }
    guard time > .zero else { throw fields.problem(name, "\(name) must be more than 0s.") }
    return time
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return AbsolutePath.of(".") }
    return AbsolutePath.of(String(path[..<slash]))
  }
}
