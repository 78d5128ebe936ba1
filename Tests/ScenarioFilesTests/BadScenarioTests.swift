import Grammar
import ScenarioFiles
import Testing

@Suite("An invalid scenario file")
struct BadScenarioTests {
  private func complaint(_ text: String) -> InputProblem? {
    do throws(InputProblem) {
      _ = try ScenarioFile.parse(text, named: "bad.yaml")
      return nil
    } catch {
      return error
    }
  }

  private static let backend = "reports: {backend: \"http://127.0.0.1:9\"}"
  private static func reporting(_ more: String) -> String {
    "settings: {fleet: {apps: [{profile: sightscreen}]}\(more.isEmpty ? "" : ", " + more)}\n"
  }
  private static let command = "backend: {command: ./server}\n"
  private static let expect = "expect: [{pushes: {}, count: 0..}]"
  private static let push = "push: {payload: {aps: {alert: A}}}"

  @Test(
    "an invalid scenario file is rejected with the line, the column and the valid form",
    arguments: [
      ("", "bad.yaml", "a scenario needs steps"),
      ("name: nothing", "bad.yaml:1:1", "a scenario needs steps"),
      ("steps: []", "bad.yaml:1:8", "steps must be a list of steps"),
      ("steps: [{\(push)}]", "bad.yaml:1:1", "expects nothing"),
      ("steps: [{\(push)}]\nexpect: []", "bad.yaml:2:9", "expects nothing"),
      (
        "steps: [{\(push)}]\nexpect: [\(Array(repeating: "{pushes: {}, count: 1}", count: 1_001).joined(separator: ", "))]",
        "bad.yaml:2:24010", "at most 1000 expectations"
      ),
      (
        "steps: [{deleteFault: nope}]\nexpect: [{pushes: {}, count: 0}]", "bad.yaml:1:9",
        "sets no fault nope; it sets no faults"
      ),
      (
        "faults: [{name: storm, then: {lose: true}}]\nsteps: [{deleteFault: strom}]\nexpect: [{pushes: {}, count: 0}]",
        "bad.yaml:2:9", "did you mean storm?"
      ),
      ("seed: 1\nname: a\nseed: 2", "bad.yaml:3:1", "duplicate key seed; the first one is on line 1"),
      ("{seed: 1, seed: 2}", "bad.yaml:1:2", "duplicate key seed"),
      ("stepz: []", "bad.yaml:1:1", "did you mean steps?"),
      ("steps: [", "bad.yaml:2:1", "invalid YAML"),
      ("seed: x\nsteps: [{\(push)}]", "bad.yaml:1:7", "a whole number"),
      (
        "seed: 18446744073709551616\nsteps: [{\(push)}]", "bad.yaml:1:7",
        "from 0 to 18446744073709551615, not \"18446744073709551616\""
      ),
      ("name: \"\"\nsteps: [{\(push)}]\n\(expect)", "bad.yaml:1:7", "name must not be empty"),
      ("story: [a]\nsteps: [{\(push)}]\n\(expect)", "bad.yaml:1:8", "story must be text"),
      ("\u{FEFF}stepz: []", "bad.yaml:1:1", "did you mean steps?"),
      ("\"a\\e[31m\": 1", "bad.yaml:1:1", #"no key "a\u{1b}[31m""#),
      ("name: a\nstory: \u{0}\n", "bad.yaml:2", "invalid YAML: control characters are not allowed"),
      ("seed: 1\nsettings: {fleet: {seed: 2}}\nsteps: [{\(push)}]", "bad.yaml:2:26", "given twice"),
      ("settings: {clock: wall}\nsteps: [{\(push)}]", "bad.yaml:1:19", "always manual"),
      ("settings: {fleet: {devices: 0}}\nsteps: [{\(push)}]", "bad.yaml:1:29", "fleet.devices must be"),
      ("settings: {fleet: {apps: []}}\nsteps: [{\(push)}]", "bad.yaml:1:26", "from 1 to 64 apps"),
      ("settings: {flete: {}}\nsteps: [{\(push)}]", "bad.yaml:1:12", "there is no setting flete"),
      ("faults: {}\nsteps: [{\(push)}]", "bad.yaml:1:9", "faults must be a list"),
      ("steps: [{fault: {}}]", "bad.yaml:1:17", "name is required"),
      // Time lines that contradict themselves.
      ("steps:\n  - {at: 10s, \(push)}\n  - {at: 5s, \(push)}", "bad.yaml:3:5", "times in a list must ascend"),
      ("steps: [{at: 1s, after: 1s, \(push)}]", "bad.yaml:1:25", "cannot be combined"),
      ("steps: [{every: 1s, \(push)}]", "bad.yaml:1:17", "either times"),
      ("steps: [{every: 1s, times: 2, until: 4s, \(push)}]", "bad.yaml:1:17", "either times"),
      ("steps: [{every: 0s, times: 2, \(push)}]", "bad.yaml:1:17", "longer than 0s"),
      ("steps: [{times: 2, \(push)}]", "bad.yaml:1:17", "times needs every"),
      ("steps: [{at: 10s, every: 1s, until: 5s, \(push)}]", "bad.yaml:1:37", "before the step begins"),
      ("for: 1m\nsteps: [{at: 2m, \(push)}]", "bad.yaml:2:9", "after the end of the scenario at 1m"),
      ("for: 1m\nsteps: [{every: 10s, times: 9, \(push)}]", "bad.yaml:2:9", "last done at 1m20s"),
      ("steps: [{at: soon, \(push)}]", "bad.yaml:1:14", "a duration such as"),
      ("steps: [{at: 1000000000000000, \(push)}]", "bad.yaml:1:14", "at must be at most 36525d"),
      ("steps: [{every: 1ms, until: 9h, \(push)}]", "bad.yaml:1:17", "more than 1000000 times"),
      (
        "steps: [{repeat: {times: 3, every: 1s, steps: [{\(push)}, {after: 2s, \(push)}]}}]", "bad.yaml:1:36",
        "a round takes 2s"
      ),
      (
        "steps: [{repeat: {times: 1000000, every: 1s, steps: [{\(push)}]}}]", "bad.yaml:1:54", "more than 10000 steps"
      ),
      ("steps: [{every: 1s, serial: [{\(push)}]}]", "bad.yaml:1:10", "use repeat:"),
      (
        "steps: [{times: 2, repeat: {times: 2, steps: [{\(push)}]}}]", "bad.yaml:1:10",
        "times and every stand within repeat"
      ),
      (
        "steps: [{name: a, repeat: {times: 2, steps: [{\(push)}]}}]", "bad.yaml:1:10",
        "name is not valid with repeat, beside which only at or after may stand."
      ),
      // Deeds.
      ("steps: [{at: 1s}]", "bad.yaml:1:9", "a step needs an action"),
      ("steps: [{do: lock, device: d0, \(push)}]", "bad.yaml:1:9", "do and push"),
      ("steps: [{do: lok, device: d0}]", "bad.yaml:1:14", "did you mean lock?"),
      ("steps: [{do: lock}]", "bad.yaml:1:9", "device: d3"),
      ("steps: [{do: lock, device: d0, app: com.example.app}]", "bad.yaml:1:37", "app is not valid for lock"),
      ("steps: [{do: lock, device: d9999}]", "bad.yaml:1:28", "d0 to d999"),
      ("steps: [{do: open, app: com.example.ap, device: d0}]", "bad.yaml:1:25", "did you mean com.example.app?"),
      ("steps: [{do: lock, where: {share: 110%}}]", "bad.yaml:1:35", "0% to 100%"),
      ("steps: [{do: lock, where: {share: 0%}}]", "bad.yaml:1:35", "selects no device"),
      ("steps: [{do: lock, where: {user: d3}}]", "bad.yaml:1:34", "such as u17"),
      (
        "settings: {fleet: {devices: 2}}\nsteps: [{do: lock, where: {user: u2}}]", "bad.yaml:2:34",
        "There is no user \"u2\"; this fleet has d0 to d1"
      ),
      (
        "settings: {fleet: {mix: {twoPhones: 100%}}}\nsteps: [{push: {user: u1, payload: {aps: {alert: A}}}}]",
        "bad.yaml:2:23", "d1 is the second phone of u0"
      ),
      ("steps: [{push: {user: u1, device: d4, payload: {}}}]", "bad.yaml:1:23", "u1 has d1, and none of the devices"),
      ("steps: [{clock: 0s}]", "bad.yaml:1:17", "such as 8h"),
      ("steps: [{push: {}}]", "bad.yaml:1:16", "needs a payload"),
      ("steps: [{push: {payload: {aps: {alert: \"{{tme.unix}}\"}}}}]", "bad.yaml:1:26", "{{time.unix}}?"),
      ("steps: [{push: {payload: {aps: {alert: \"{{n\"}}}}]", "bad.yaml:1:26", "without }}"),
      ("steps: [{push: {tokenKind: pushToStrt, payload: {}}}]", "bad.yaml:1:28", "did you mean pushToStart?"),
      // Keys of earlier versions.
      ("steps: [{push: {to: startTokens, payload: {}}}]", "bad.yaml:1:17", "did you mean tokenKind?"),
      ("steps: [{push: {type: alert, payload: {}}}]", "bad.yaml:1:17", "did you mean pushType?"),
      ("steps: [{\(push)}, {heal: all}]", "bad.yaml:1:48", "did you mean deleteFault?"),
      ("steps: [{do: lock, where: {state: offline}}]", "bad.yaml:1:28", "did you mean online?"),
      ("steps: [{\(push)}]\nexpect: [{pushes: {type: alert}, count: 1}]", "bad.yaml:2:20", "did you mean pushType?"),
      ("steps: [{\(push)}]\nexpect: [{pushes: {to: update}, count: 1}]", "bad.yaml:2:20", "did you mean tokenKind?"),
      ("steps: [{\(push)}]\nexpect: [{pushes: {id: x}, count: 1}]", "bad.yaml:2:20", "did you mean apnsId?"),
      ("steps: [{\(push)}]\nexpect: [{events: {name: locked}, count: 1}]", "bad.yaml:2:20", "did you mean event?"),
      // Expectations that can never be judged.
      ("expect: [{pushes: {}, count: 1}]", "bad.yaml:1:19", "no step of this scenario sends pushes"),
      ("steps: [{\(push)}]\nexpect: [{pushes: {}}]", "bad.yaml:2:10", "count, all, none or sometimes"),
      ("steps: [{\(push)}]\nexpect: [{count: 3}]", "bad.yaml:2:10", "pushes, screens, events"),
      ("for: 1m\nsteps: [{\(push)}]\nexpect: [{at: 2m, pushes: {}, count: 1}]", "bad.yaml:3:10", "never be evaluated"),
      (
        "steps: [{name: goal, \(push)}]\nexpect: [{within: 1s, of: gol, pushes: {}, count: 1}]", "bad.yaml:2:27",
        "did you mean goal?"
      ),
      ("steps: [{\(push)}]\nexpect: [{pushes: {step: x}, count: 1}]", "bad.yaml:2:26", "no step of this scenario"),
      (
        "steps: [{\(push)}]\nexpect: [{pushes: {status: 200, reason: BadTopic}, count: 1}]", "bad.yaml:2:28",
        "BadTopic has status 400"
      ),
      (
        "steps: [{\(push)}]\nexpect: [{pushes: {status: 410, outcome: banner}, count: 1}]", "bad.yaml:2:19",
        "reaches no phone"
      ),
      (
        "steps: [{\(push)}]\nexpect: [{pushes: {cause: low-powr}, count: 1}]", "bad.yaml:2:27",
        "did you mean low-power?"
      ),
      ("steps: [{\(push)}]\nexpect: [{pushes: {}, count: 3..1}]", "bad.yaml:2:30", "a range such as 10..20"),
      ("steps: [{\(push)}]\nexpect: [{events: {event: lokced}, count: 1}]", "bad.yaml:2:27", "did you mean locked?"),
      ("steps: [{\(push)}]\nexpect: [{events: {}, ordered: [locked, x]}]", "bad.yaml:2:32", "there is no event x"),
      ("steps: [{\(push)}]\nexpect: [{screens: {}}]", "bad.yaml:2:10", "show is required"),
      (
        "steps: [{\(push)}]\nexpect: [{screens: {}, show: {cards: 0, card: {state: ended}}}]", "bad.yaml:2:47",
        "contradicts itself"
      ),
      (
        "steps: [{\(push)}]\nexpect: [{screens: {}, show: {card: {state: endd}}}]", "bad.yaml:2:37",
        "did you mean ended?"
      ),
      (
        "steps: [{\(push)}]\nexpect: [{screens: {}, show: {card: {content: {score: 1}}}}]", "bad.yaml:2:38",
        "did you mean contentState?"
      ),
      ("steps: [{\(push)}]\nexpect: [{screens: {}, show: {cards: 1}, count: 1}]", "bad.yaml:2:42", "screens need show"),
      // Words of pushes, findings and connections.
      (
        "steps: [{\(push)}]\nexpect: [{pushes: {headers: {apns-prio: 5}}, count: 1}]", "bad.yaml:2:30",
        "did you mean apns-priority?"
      ),
      ("steps: [{\(push)}]\nexpect: [{pushes: {headers: {X-A: 5}}, count: 1}]", "bad.yaml:2:30", "lower case"),
      (
        "steps: [{\(push)}]\nexpect: [{pushes: {headers: {apns-id: [5]}}, count: 1}]", "bad.yaml:2:39", "a single value"
      ),
      ("steps: [{\(push)}]\nexpect: [{pushes: {fault: down}, count: 1}]", "bad.yaml:2:27", "it sets no faults"),
      (
        "faults: [{name: down, then: {answer: ServiceUnavailable}}]\nsteps: [{\(push)}]\nexpect: [{pushes: {fault: dwn}, count: 1}]",
        "bad.yaml:3:27", "did you mean down?"
      ),
      ("steps: [{\(push)}]\nexpect: [{pushes: {event: updat}, count: 1}]", "bad.yaml:2:27", "did you mean update?"),
      ("steps: [{\(push)}]\nexpect: [{pushes: {payload: 3}, count: 1}]", "bad.yaml:2:29", "must be a part"),
      ("steps: [{\(push)}]\nexpect: [{pushes: {apnsId: 3}, count: 1}]", "bad.yaml:2:28", "a UUID such as"),
      ("steps: [{\(push)}]\nexpect: [{findings: {kind: dupe}}]", "bad.yaml:2:28", "duplicate"),
      ("steps: [{\(push)}]\nexpect: [{findings: {}}]", "bad.yaml:2:10", "count or none"),
      ("steps: [{\(push)}]\nexpect: [{findings: {}, none: {}}]", "bad.yaml:2:31", "must be true"),
      ("steps: [{\(push)}]\nexpect: [{connections: {}}]", "bad.yaml:2:10", "has no claim; it needs one of count"),
      ("steps: [{\(push)}]\nexpect: [{connections: {}, all: {}}]", "bad.yaml:2:10", "has all; it needs one of count"),
      (
        "steps: [{\(push)}]\nexpect: [{pushes: {}, count: 1, none: true}]", "bad.yaml:2:10",
        "has count and none; it needs one of count, all, none or sometimes"
      ),
      (
        "steps: [{name: a, \(push)}]\nexpect: [{connections: {}, count: 1, within: 1s, of: a}]", "bad.yaml:2:54",
        "from the beginning"
      ),
      ("faults: [{name: a, when: {share: 0}, then: {lose: true}}]\nsteps: [{\(push)}]", "bad.yaml:1:34", "no device"),
      (
        "faults: [{name: a, when: {app: com.example.ap}, then: {lose: true}}]\nsteps: [{\(push)}]", "bad.yaml:1:32",
        "There is no app"
      ),
      ("faults: [{name: a, odds: 0, then: {lose: true}}]\nsteps: [{\(push)}]", "bad.yaml:1:10", "are 0"),
      ("steps: [{push: {raw: null}}]", "bad.yaml:1:22", "the body as text"),
      ("steps: [{push: {headers: {\":path\": x}, payload: {}}}]", "bad.yaml:1:27", "without a colon"),
      ("steps: [{push: {raw: x, payload: {}}}]", "bad.yaml:1:22", "cannot be combined"),
      ("steps: [{register: {token: abcd, device: d0, app: com.exampl.app}}]", "bad.yaml:1:51", "did you mean"),
      ("steps: [{register: {token: xyz, device: d0, app: com.example.app}}]", "bad.yaml:1:28", "hexadecimal"),
      // Delays, and what has converged.
      ("quiet: 0s\nsteps: [{\(push)}]", "bad.yaml:1:8", "such as 2m"),
      ("for: 1m\nquiet: 1m\nsteps: [{at: 90s, \(push)}]", "bad.yaml:3:9", "after the end of the scenario at 1m"),
      (
        "for: 1m\nquiet: 1m\nsteps: [{\(push)}]\nexpect: [{at: 121s, converged: {}}]", "bad.yaml:4:10",
        "for: and quiet:"
      ),
      (
        "steps: [{do: lock, device: d0}]\nexpect: [{converged: {}}]", "bad.yaml:2:22",
        "nothing in this scenario sends pushes"
      ),
      ("steps: [{\(push)}]\nexpect: [{converged: {}, count: 1}]", "bad.yaml:2:26", "leave count out"),
      ("steps: [{\(push)}]\nexpect: [{converged: {}, within: 1m}]", "bad.yaml:2:34", "evaluated at a time"),
      ("steps: [{\(push)}]\nexpect: [{converged: {app: x}}]", "bad.yaml:2:28", "There is no app \"x\" in this fleet"),
      ("steps: [{\(push)}]\nexpect: [{delay: {from: {pushes: {}}}, all: 0s..1s}]", "bad.yaml:2:18", "needs to"),
      (
        "steps: [{\(push)}]\nexpect: [{delay: {from: {pushes: {}}, to: {}}, all: 0s..1s}]", "bad.yaml:2:43",
        "to must be one of"
      ),
      (
        "steps: [{\(push)}]\nexpect: [{delay: {from: {pushes: {}}, to: {events: {}}}, all: 10s}]", "bad.yaml:2:63",
        "such as 0s..10s"
      ),
      (
        "steps: [{\(push)}]\nexpect: [{delay: {from: {pushes: {}}, to: {calls: {}}}, all: 0s..1s}]",
        "bad.yaml:2:51", "no app of this fleet calls"
      ),
      // The backend and its keys.
      ("steps: [{backend: stop}]\n\(expect)", "bad.yaml:1:9", "this scenario has no backend"),
      (
        "backend: {url: \"http://127.0.0.1:9\"}\nsteps: [{backend: kill}]\n\(expect)", "bad.yaml:2:9",
        "has not started this backend"
      ),
      ("\(command)steps: [{backend: pause}]\n\(expect)", "bad.yaml:2:19", "stop, kill and start"),
      (
        "\(command)steps: [{at: 5s, backend: start}]\n\(expect)", "bad.yaml:2:9",
        "is running already at 5s, so start is not possible"
      ),
      (
        "\(command)steps: [{backend: kill}, {at: 5s, backend: stop}]\n\(expect)", "bad.yaml:2:26",
        "is stopped already at 5s, so stop is not possible"
      ),
      (
        "\(command)steps: [{backend: stop, every: 1m, times: 2}, {at: 5m, backend: start}]\n\(expect)", "bad.yaml:2:9",
        "is stopped already at 1m, so stop is not possible"
      ),
      (
        "backend: {url: \"http://127.0.0.1:9\", persists: true}\nsteps: [{\(push)}]\n\(expect)", "bad.yaml:1:48",
        "persists needs command"
      ),
      ("steps: [{keys: {}}]\n\(expect)", "bad.yaml:1:16", "either revoke or add"),
      ("steps: [{keys: {add: all, revoke: all}}]\n\(expect)", "bad.yaml:1:16", "either revoke or add"),
      ("steps: [{keys: {add: NEW}}]\n\(expect)", "bad.yaml:1:9", "no key NEW; it has none"),
      (
        "settings: {keys: [{keyId: NEWKEY, generate: true}]}\nsteps: [{keys: {add: NEWKEE}}]\n\(expect)",
        "bad.yaml:2:9", "did you mean NEWKEY?"
      ),
      ("\(command)steps: [{certificates: {}}]\n\(expect)", "bad.yaml:2:24", "either revoke or add"),
      (
        "\(command)steps: [{certificates: {revoke: 1f2e}}]\n\(expect)", "bad.yaml:2:33",
        "the first 6 hexadecimal digits"
      ),
      ("steps: [{certificates: {revoke: all}}]\n\(expect)", "bad.yaml:1:9", "nobody presents a certificate"),
      (
        "\(command)steps: [{certificates: {revoke: all}},"
          + " \((0...1_000).map { "{certificates: {add: \(100_000 + $0)}}" }.joined(separator: ", "))]\n\(expect)",
        "bad.yaml:2:31009", "1000 certificates have changed by 0s, the maximum"
      ),
      ("backend: {url: \"http://\"}\nsteps: [{\(push)}]\n\(expect)", "bad.yaml:1:16", "url must be a URL such as"),
      (
        "backend: {url: \"http://127.0.0.1:80800\"}\nsteps: [{\(push)}]\n\(expect)", "bad.yaml:1:16",
        "url must be a URL such as"
      ),
      (
        "backend: {url: \"http://a:{{port}}\", tick: \"http://a b\"}\nsteps: [{\(push)}]\n\(expect)",
        "bad.yaml:1:43", "tick must be a URL such as"
      ),
      (
        "\(command)steps: [{at: 5s, certificates: {add: 1F2E3D}}]\n\(expect)", "bad.yaml:2:9",
        "the certificate 1f2e3d is valid already at 5s, so add is not possible"
      ),
      (
        "\(command)steps: [{certificates: {revoke: all}}, {at: 5s, certificates: {revoke: 1f2e3d}}]\n\(expect)",
        "bad.yaml:2:40", "the certificate 1f2e3d is revoked already at 5s, so revoke is not possible"
      ),
      // Calls of apps.
      ("steps: [{\(push)}]\nexpect: [{reports: {}, count: 1}]", "bad.yaml:2:11", "did you mean calls?"),
      ("steps: [{\(push)}]\nexpect: [{calls: {}, count: 1}]", "bad.yaml:2:18", "no app of this fleet calls"),
      ("\(reporting(""))steps: [{\(push)}]\nexpect: [{calls: {}, count: 1}]", "bad.yaml:3:18", "have no backend"),
      (
        "\(reporting(backend))steps: [{\(push)}]\nexpect: [{calls: {event: deviceTokn}, count: 1}]",
        "bad.yaml:3:26", "did you mean deviceToken?"
      ),
      (
        "\(reporting(backend))steps: [{\(push)}]\nexpect: [{calls: {event: background}, count: 1}]",
        "bad.yaml:3:26", "no app calls its backend at background"
      ),
      (
        "\(reporting(backend))steps: [{\(push)}]\nexpect: [{calls: {status: 200, failure: lost}, count: 1}]",
        "bad.yaml:3:41", "contradicts itself"
      ),
      (
        "\(reporting(backend))steps: [{\(push)}]\nexpect: [{calls: {failure: timeout}, count: 1}]", "bad.yaml:3:28",
        "did you mean timedOut?"
      ),
    ])
  func refused(text: String, place: String, words: String) throws {
    let problem = try #require(complaint(text), "\(text)")
    #expect(problem.place == place, "\(problem)")
    #expect(problem.sentence.contains(words), "\(problem)")
    #expect(!problem.sentence.contains("\n") && problem.sentence.last.map { ".?".contains($0) } ?? false, "\(problem)")
  }

  @Test("a backend is stopped, killed and started in turn, as often as a scenario repeats it")
  func inTurn() {
    let repeated = "{repeat: {times: 3, every: 1m, steps: [{backend: kill}, {after: 10s, backend: start}]}}"
    #expect(complaint("\(Self.command)steps: [\(repeated), {after: 1m, backend: stop}]\n\(Self.expect)") == nil)
  }

  @Test("the text of an invalid scenario file without its error is a scenario")
  func sound() {
    #expect(complaint("steps:\n  - {at: 5s, \(Self.push)}\n  - {at: 10s, \(Self.push)}\n\(Self.expect)") == nil)
    #expect(complaint("for: 1m\nsteps: [{at: 1m, \(Self.push)}]\n\(Self.expect)") == nil)
  }
}
