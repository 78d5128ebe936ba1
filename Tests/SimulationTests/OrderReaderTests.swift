import APNs
import Devices
import Grammar
import Orders
import Simulation
import Testing
import Timeline
import WireFormats

@Suite("The reader of orders")
struct OrderReaderTests {
  private static func selection(_ place: JSONValue) throws -> Selection {
    try SelectionReader.read(Fields(SourceNode(["where": place]), "a body", known: ["where"]), Stage().world.fleet)
  }

  @Test("the reader of orders accepts one id as device or a list of ids as devices, and not both")
  func devices() throws {
    for place: JSONValue in [["device": "d1"], ["devices": ["d1", "d1"]]] {
      #expect(try Self.selection(place).filter.devices == [DeviceID(1)], "\(place)")
    }
    for (place, key) in [
      (["devices": "d1"], "devices"), (["device": ["d1"]], "device"), (["device": "d1", "devices": ["d2"]], "device"),
    ] as [(JSONValue, String)] {
      #expect { try Self.selection(place) } throws: { error in
        (error as? InputProblem)?.field == key
      }
    }
  }

  @Test("the reader of orders accepts an iOS version as text or a whole number, and reports others by their path")
  func versions() throws {
    #expect(try Self.selection(["os": "26.1"]).filter.os == OSPattern(26, 1))
    #expect(try Self.selection(["os": 26]).filter.os == OSPattern(26))
    #expect { try Self.selection(["os": .double(26.1)]) } throws: { error in
      (error as? InputProblem)?.place == "where.os"
    }
  }

  @Test("the reader of orders reports the path of an unknown app in an action of a fault")
  func placeOfAnApp() throws {
    let body: JSONValue = [
      "name": "x", "when": ["app": .string(Stage.app)], "then": ["devices": ["do": "open", "app": "nope"]],
    ]
    #expect { try FaultReader.read(SourceNode(body), Stage().world.fleet, at: Stage.began) } throws: { error in
      (error as? InputProblem)?.place == "then.devices.app"
    }
  }

  @Test(
    "the reader of orders rejects false where a fault can only be true",
    arguments: ["silence", "lose", "withoutId", "freeze", "close", "halfClose", "abort"])
  func onlyTrue(_ word: String) {
    let body: JSONValue = ["name": "x", "then": .object([.init(word, false)])]
    #expect { try FaultReader.read(SourceNode(body), Stage().world.fleet, at: Stage.began) } throws: { error in
      (error as? InputProblem)?.sentence.hasPrefix("\(word) must be true") == true
    }
  }

  @Test(
    "the reader of orders names every form of arrival, and the nearest word",
    arguments: [
      ("3", #"cannot be "3"; valid values are"#, true), ("[]", "must be", true), ("null", "must be", true),
      ("{}", "must be", true),
      (#""elsewhere""#, #"cannot be "elsewhere"; valid values are"#, true),
      (#""loose""#, #"cannot be "loose"; did you mean lose?"#, false),
      (#""delay""#, #"cannot be "delay"; did you mean {"delay": {"from": "1s", "to": "30s"}}?"#, false),
      (#""delayed""#, #"cannot be "delayed"; did you mean {"delay": {"from": "1s", "to": "30s"}}?"#, false),
    ])
  func arrivals(_ written: String, _ says: String, _ listsAll: Bool) throws {
    let arrival = try JSONValue.parse(Array(written.utf8))
    let body: JSONValue = ["name": "x", "then": .object([.init("arrival", arrival)])]
    #expect { try FaultReader.read(SourceNode(body), Stage().world.fleet, at: Stage.began) } throws: { error in
      guard let problem = error as? InputProblem else { return false }
      let all = listsAll ? #" lose, double, overtake or {"delay": {"from": "1s", "to": "30s"}}."# : ""
      return problem.field == "arrival" && problem.place == "then.arrival"
        && problem.sentence == "arrival \(says)\(all)"
    }
  }

  @Test("the reader of orders names the nearest member of a delay in arrival, by its path")
  func delayOfArrival() throws {
    for (arrival, place, says) in [
      (["dely": "2s"], "then.arrival.dely", "did you mean delay?"),
      (["delay": ["form": "2s"]], "then.arrival.delay.form", "did you mean from?"),
      (["delay": ["from": "3s", "to": "2s"]], "then.arrival.delay.from", "from must not be larger than to."),
    ] as [(JSONValue, String, String)] {
      let body: JSONValue = ["name": "x", "then": ["arrival": arrival]]
      #expect { try FaultReader.read(SourceNode(body), Stage().world.fleet, at: Stage.began) } throws: { error in
        guard let problem = error as? InputProblem else { return false }
        return problem.place == place && problem.sentence.hasSuffix(says)
      }
    }
  }

  @Test("the reader of orders keeps the JSON of a fault, so that it is shown as it was written")
  func given() throws {
    let body: JSONValue = ["name": "x", "when": ["os": 26], "odds": .double(0.5), "then": ["lose": true]]
    let fault = try FaultReader.read(SourceNode(body), Stage().world.fleet, at: Stage.began)
    #expect(fault.given == ["when": ["os": 26], "odds": .double(0.5), "then": ["lose": true]])
  }
}
