import APNs
import Grammar
import Reporting
import Testing

@testable import Configuration

@Suite("Mistakes in a profile are named with file and line, and the nearest right name")
struct ProfileMistakeTests {
  struct Mistake: Sendable, CustomTestStringConvertible {
    let name: String
    let profile: String
    let line: Int
    /// Words that the sentence must contain.
    let words: [String]

    var testDescription: String { name }

    init(_ name: String, line: Int, _ words: [String], _ profile: String) {
      self.name = name
      self.line = line
      self.words = words
      self.profile = profile
    }
  }

  /// An app with one type, and these lines under `on`, the first of which is line 10.
  private static func app(_ lines: String, more: String = "") -> String {
    let body = lines.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n")
    return """
      bundleId: com.example.small
      attributesTypes:
        - name: MatchAttributes
          attributes: {type: object, properties: {matchId: string, title: string}}
          contentState: {type: object, properties: {score: int}}
      reports:
        timeout: 5s
        \(more.isEmpty ? "inOrder: true" : more)
        on:
      \(body)
      """ + "\n"
  }

  static let mistakes: [Mistake] = [
    Mistake(
      "a button of a category without a title", line: 2, ["buttons.mute must have a title"],
      "bundleId: com.example.small\ncategories: {GOAL: {buttons: {mute: ''}}}\n"),
    Mistake(
      "a field for a reply without a title", line: 2, ["reply must have a title"],
      "bundleId: com.example.small\ncategories: {GOAL: {reply: }}\n"),
    Mistake(
      "a button of a card without a title", line: 3, ["buttons.mute must have a title"],
      "bundleId: com.example.small\nattributesTypes:\n  - {name: MatchAttributes, card: {buttons: {mute: ''}}}\n"),
    Mistake(
      "an event", line: 10, ["deviceTokn", "did you mean deviceToken?"],
      app(#"deviceTokn: [{url: "{{backend}}/x"}]"#)),
    Mistake(
      "a button that nothing has", line: 10, ["button.mute", "no card or category of the app has the button mute"],
      app(#"button.mute: [{url: "{{backend}}/x"}]"#)),
    Mistake(
      "a reply that nothing takes", line: 10, ["no category of the app takes a text"],
      app(#"reply: [{url: "{{backend}}/x"}]"#)),
    Mistake(
      "an event by its former name", line: 10, ["ptsToken", "did you mean pushToStartToken?"],
      app(#"ptsToken: [{url: "{{backend}}/x"}]"#)),
    Mistake(
      "a variable by its former name", line: 11, ["{{content.score}}", "did you mean contentState?"],
      app("contentApplied:\n  - {url: \"{{backend}}/x\", json: {s: \"{{content.score}}\"}}")),
    Mistake(
      "a variable", line: 12, ["{{tokn.hex}}", "did you mean token?"],
      app("foreground: []\ndeviceToken:\n  - {url: \"{{backend}}/{{tokn.hex}}\"}")),
    Mistake(
      "a member", line: 11, ["token has no hx", "did you mean hex?"],
      app("deviceToken:\n  - {url: \"{{backend}}/x\", json: {t: \"{{token.hx}}\"}}")),
    Mistake(
      "a value that the event does not have", line: 11, ["launch has no token", "it has backend"],
      app("launch:\n  - {url: \"{{backend}}/{{token.hex}}\"}")),
    Mistake(
      "a type", line: 14, ["MatchAttribute", "did you mean MatchAttributes?"],
      app("action.go:\n  - method: POST\n    url: \"{{backend}}/x\"\n    then:\n      - startActivity: MatchAttribute")),
    Mistake(
      "an attribute that is not in the schema", line: 11, ["{{attributes.matchID}}", "did you mean matchId?"],
      app("activityToken:\n  - {url: \"{{backend}}/{{attributes.matchID}}\"}")),
    Mistake(
      "content that is not in the schema", line: 11, ["{{contentState.scor}}", "did you mean score?"],
      app("contentApplied:\n  - {url: \"{{backend}}/x\", json: {s: \"{{contentState.scor}}\"}}")),
    Mistake(
      "two bodies", line: 11, ["one body", "json and form"],
      app("launch:\n  - {url: \"{{backend}}/x\", json: {a: 1}, form: {a: \"1\"}}")),
    Mistake(
      "no url", line: 11, ["needs a url"], app("launch:\n  - {method: GET}")),
    Mistake(
      "a key of a request", line: 11, ["metod", "did you mean method?"], app("launch:\n  - {metod: GET}")),
    Mistake(
      "a method", line: 11, ["method must be one of GET, POST", "FETCH"],
      app("launch:\n  - {method: fetch, url: \"{{backend}}/x\"}")),
    Mistake(
      "a step", line: 14, ["startActivty", "did you mean startActivity?"],
      app("action.go:\n  - method: POST\n    url: \"{{backend}}/x\"\n    then:\n      - startActivty: MatchAttributes")),
    Mistake(
      "a step that is two", line: 14, ["a step is {startActivity: TYPE"],
      app(
        "action.go:\n  - method: POST\n    url: \"{{backend}}/x\"\n    then:\n"
          + "      - {startActivity: MatchAttributes, endActivity: {matchId: m}}")),
    Mistake(
      "an update without content", line: 14,
      ["a step is {startActivity: TYPE", "{updateActivity: {ATTRIBUTE: VALUE}, content"],
      app("action.go:\n  - method: POST\n    url: \"{{backend}}/x\"\n    then:\n      - {updateActivity: {matchId: m}}")
    ),
    Mistake(
      "an update of which activity", line: 14, ["updateActivity takes one attribute and its value"],
      app(
        "action.go:\n  - method: POST\n    url: \"{{backend}}/x\"\n    then:\n"
          + "      - {updateActivity: {a: m, b: n}, contentState: {score: 1}}")),
    Mistake(
      "when to try again", line: 11, ["foregrond", "did you mean foreground?"],
      app("launch:\n  - {url: \"{{backend}}/x\", retry: [foregrond]}")),
    Mistake(
      "an unclosed value", line: 11, ["{{ without }}"], app("launch:\n  - {url: \"{{backend/x\"}")),
    Mistake(
      "a list that is none", line: 11, ["launch must be a list of requests"],
      app("launch:\n  url: \"{{backend}}/x\"")),
    Mistake(
      "a header's name", line: 11, ["x y is not a valid name in headers"],
      app("launch:\n  - {url: \"{{backend}}/x\", headers: {\"x y\": a}}")),
    Mistake(
      "a control character in a header", line: 11, ["headers.x must not have control characters"],
      app("launch:\n  - {url: \"{{backend}}/x\", headers: {x: \"a\\x01{{device.id}}\"}}")),
    Mistake(
      "follows without its action", line: 8, ["the action follow", "no action.follow"],
      app("launch: [{url: \"{{backend}}/x\"}]", more: "follows: {key: matchId}")),
    Mistake(
      "follows without a key", line: 8, ["follows needs a key"],
      app("launch: [{url: \"{{backend}}/x\"}]", more: "follows: {follow: go}")),
    Mistake(
      "a stale check that names no content", line: 8, ["unless must name a value of the content"],
      app("launch: [{url: \"{{backend}}/x\"}]", more: "staleCheck: {after: 30m, unless: device.id}")),
    Mistake(
      "a stale check whose content is not in the schema", line: 8, ["contentState.scor", "did you mean score?"],
      app("launch: [{url: \"{{backend}}/x\"}]", more: "staleCheck: {after: 30m, unless: contentState.scor}")),
    Mistake(
      "a reconciling of what is not answered", line: 11, ["reconcile", "such as answer.follows"],
      app("launch:\n  - {url: \"{{backend}}/x\", reconcile: device.id}")),
    Mistake(
      "a reconciling where nothing is followed", line: 11, ["reconcile", "follows"],
      app("launch:\n  - {url: \"{{backend}}/x\", reconcile: answer.follows}")),
    Mistake(
      "a header of all requests that not all have", line: 8, ["no token"],
      app("launch: [{url: \"{{backend}}/x\"}]", more: "headers: {x-token: \"{{token.hex}}\"}")),
    Mistake(
      "a backend that is none", line: 8, ["backend must be a URL", "localhost:8080"],
      app("launch: [{url: \"{{backend}}/x\"}]", more: "backend: localhost:8080")),
    Mistake(
      "a key of reports", line: 8, ["timeot", "did you mean timeout?"],
      app("launch: [{url: \"{{backend}}/x\"}]", more: "timeot: 5s")),
    Mistake("a profile from a profile", line: 1, ["cannot refer to another profile"], "profile: sightscreen\n"),
    Mistake("no bundle id", line: 1, ["needs a bundleId"], "attributesTypes: [MatchAttributes]\n"),
  ]

  @Test("each mistake in a profile is rejected at load", arguments: mistakes)
  func refused(_ mistake: Mistake) {
    let problem = #expect(throws: InputProblem.self) {
      try ShippedProfile.read(mistake.profile, named: "my.yaml")
    }
    guard let problem else { return }
    #expect(problem.place == "my.yaml:\(mistake.line)", "\(problem)")
    for word in mistake.words { #expect(problem.sentence.contains(word), "\(problem)") }
    #expect(problem.sentence.hasSuffix(".") || problem.sentence.hasSuffix("?"), "\(problem)")
  }

  @Test("without the mistake the whole profile is accepted")
  func sound() throws {
    let lines = """
      activityToken:
        - {url: "{{backend}}/{{attributes.matchId}}", json: {t: "{{token.hex}}", s: "{{contentState.score}}"}}
      action.follow:
        - method: POST
          url: "{{backend}}/x"
          retry: [foreground]
          then:
            - {startActivity: MatchAttributes, attributes: {matchId: "{{arg.matchId}}"}, when: answer.live}
          finally:
            - endActivity: {matchId: m}
      action.unfollow: [{url: "{{backend}}/x"}]
      launch: [{url: "{{backend}}/x", reconcile: answer.follows}]
      """
    let app = try ShippedProfile.read(Self.app(lines, more: "follows: {key: matchId}"), named: "my.yaml")
    #expect(app.reports?.actions == ["follow", "unfollow"])
  }

  @Test("the name of no profile is answered with the nearest, and with all there are")
  func unknownName() {
    let problem = #expect(throws: InputProblem.self) {
      try ShippedProfile.load("sightscren", place: "--profile")
    }
    #expect(problem?.place == "--profile")
    #expect(problem?.sentence.contains("Did you mean sightscreen?") == true)
    #expect(problem?.sentence.contains("plain, delivery") == true)
  }

  @Test("every shipped profile is sound", arguments: ShippedProfile.all.map(\.name))
  func shipped(_ name: String) throws {
    #expect(try ShippedProfile.load(name, place: "test").reports != nil)
  }
}
