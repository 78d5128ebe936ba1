import Foundation
import Grammar
import TestSupport
import Testing
import Transport
import WireFormats

@testable import ClientCommands

@Suite("What `pushpit load` is asked for")
struct LoadOrderTests {
  private static func problem(_ change: (inout LoadOrder) -> Void) -> String? {
    var order = LoadOrder()
    change(&order)
    do throws(InputProblem) {
      try order.check()
      return nil
    } catch {
      return error.description
    }
  }

  @Test("numbers outside their range are refused with the flag and the range")
  func ranges() throws {
    #expect(Self.problem { _ in } == nil)
    for (flag, found) in [
      ("--count", Self.problem { $0.count = 0 }), ("--count", Self.problem { $0.count = .max }),
      ("--for", Self.problem { $0.duration = .zero }), ("--for", Self.problem { $0.duration = .seconds(1_000_000) }),
      ("--connections", Self.problem { $0.connections = 0 }), ("--streams", Self.problem { $0.streams = 1001 }),
      ("--threads", Self.problem { $0.threads = 5 }), ("--devices", Self.problem { $0.devices = -1 }),
      ("--priority", Self.problem { $0.priority = "7" }), ("--channel", Self.problem { $0.channel = "c" }),
      ("--tokens", Self.problem { ($0.kind, $0.tokens) = (.broadcast, "t") }),
      ("--topic", Self.problem { ($0.kind, $0.topic) = (.broadcast, "t") }),
    ] {
      let sentence = try #require(found, "\(flag)")
      #expect(sentence.hasPrefix(flag + " ") && sentence.hasSuffix("."), "\(sentence)")
    }
    #expect(throws: InputProblem.self) { try LoadOrder.duration("soon") }
    #expect(try LoadOrder.duration("1m") == .seconds(60))
  }

  @Test("a rate is a number of pushes a second, or a ramp between two of them")
  func rates() throws {
    #expect(try LoadOrder.rate("0.5") == SendingRate(0.5))
    #expect(try LoadOrder.rate("100..5000") == SendingRate(100, to: 5000))
    #expect(try LoadOrder.rate("0..10") == SendingRate(0, to: 10))
    #expect(try LoadOrder.rate("10..10").isRamp == false)
    for wrong in [
      "", "0", "-5", "nan", "inf", "1e9", "fast", "100..", "..5", "..", "1..0", "-1..5", "1...5", "1..2..3", "1..1e9",
      "1..nan", "5000/s",
    ] {
      let problem = #expect(throws: InputProblem.self, "\(wrong)") { try LoadOrder.rate(wrong) }
      #expect(problem?.description.contains("such as 100..5000") == true)
    }
  }

  @Test("a ramp is as long as the run, and broadcasts have a rate of their own")
  func completed() {
    var order = LoadOrder()
    #expect(order.completed.duration == LoadOrder.usualDuration && order.completed.rate == nil)
    order.rate = SendingRate(0, to: 100)
    #expect(order.completed.rate?.seconds == 10)
    order.count = 200
    #expect(order.completed.duration == nil && order.completed.rate?.seconds == 4)
    order.duration = .seconds(3)
    #expect(order.completed.rate?.seconds == 3)
    order = LoadOrder()
    order.kind = .broadcast
    #expect(order.completed.rate == LoadOrder.usualBroadcasts)
  }

  @Test("an unknown kind is refused with the nearest one")
  func kinds() throws {
    #expect(try LoadOrder.kind("live-activity") == .liveActivity)
    let near = #expect(throws: InputProblem.self) { try LoadOrder.kind("liveactivity") }
    #expect(near?.description.hasSuffix("not \"liveactivity\"; did you mean live-activity?") == true)
    let far = #expect(throws: InputProblem.self) { try LoadOrder.kind("voip") }
    #expect(far?.description == "--kind must be notification, background, live-activity or broadcast, not \"voip\".")
  }

  @Test("the tokens that are read are as many as the pushes, at most 10,000 unless more are asked for")
  func tokens() {
    var order = LoadOrder()
    #expect(order.mostTokens == 10_000)
    order.count = 7
    #expect(order.mostTokens == 7)
    order.kind = .broadcast
    #expect(order.mostTokens == 10_000)
    order.devices = 1_000_000
    #expect(order.mostTokens == 1_000_000)
  }

  @Test("placeholders of a payload are replaced in each push, and unknown ones refused")
  func payload() throws {
    let template = Array(#"{"aps":{"event":"update","timestamp":{{timestamp}}},"n":{{number}}}"#.utf8)
    let payload = try LoadPayload(template, .liveActivity)
    #expect(payload.event == "update")
    let text = String(decoding: payload.body(42), as: UTF8.self)
    #expect(text.hasSuffix(#"},"n":42}"#) && text.contains(/"timestamp":1[0-9]{9}\}/))
    for kind in LoadKind.allCases {
      let usual = try LoadPayload(nil, kind)
      #expect(usual.body(1) != usual.body(2), "equal payloads would be duplicates: \(kind)")
    }
    #expect(try LoadPayload(nil, .broadcast).contentState == ["number": 0])
    for wrong in [#"{"a":{{numbr}}}"#, #"{"a":{{"#, "{", ""] {
      #expect(throws: InputProblem.self, "\(wrong)") { try LoadPayload(Array(wrong.utf8), .notification) }
    }
  }

  @Test("a file of tokens has one per line; empty lines and comments are skipped, and an invalid token is reported")
  func file() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/tokens"
    func write(_ text: String) throws { try text.write(toFile: path, atomically: true, encoding: .utf8) }
    try write("# mine\n00ff\n\nABCD  \n")
    #expect(try LoadTokens.read(path, most: 10) == ["00ff", "ABCD"])
    #expect(try LoadTokens.read(path, most: 1) == ["00ff"])
    try write("00ff\nxyz\n")
    let wrong = #expect(throws: InputProblem.self) { try LoadTokens.read(path, most: 10) }
    #expect(wrong?.description == "\(path), line 2: is not a token in hexadecimal digits.")
    try write("\n")
    #expect(throws: InputProblem.self) { try LoadTokens.read(path, most: 10) }
    #expect(throws: InputProblem.self) { try LoadTokens.read(path + "-none", most: 10) }
  }

  @Test("another machine must be named, and Apple's are refused even then")
  func hosts() throws {
    func check(_ url: String, _ allowed: [String] = []) -> String? {
      do throws(InputProblem) {
        try LoadHost.check(url, allowed: allowed)
        return nil
      } catch {
        return error.description
      }
    }
    for url in ["https://localhost:2197", "https://127.0.0.1:1", "https://[::1]:2", "http://LOCALHOST:3"] {
      #expect(check(url) == nil, "\(url)")
    }
    #expect(check("https://push.example:2197")?.contains("--allow-host push.example") == true)
    #expect(check("https://push.example:2197", ["Push.Example"]) == nil)
    for name in ["api.push.apple.com", "API.sandbox.push.apple.COM.", "api.development.push.apple.com"] {
      let sentence = try #require(check("https://\(name):443", [name, "api.push.apple.com"]))
      #expect(sentence.contains("is Apple's") && sentence.contains("never"), "\(sentence)")
    }
    #expect(check("nonsense")?.contains("is not a URL") == true)
  }

  @Test("a gateway without TLS is refused with the sentence of the other commands")
  func gatewayWithoutTLS() throws {
    func sentence(_ body: () throws -> Void) -> String? {
      do {
        try body()
        return nil
      } catch {
        return "\(error)"
      }
    }
    let url = "http://127.0.0.1:2197"
    let refusal = try #require(sentence { try LoadHost.admit(gateway: url, allowed: []) })
    #expect(refusal == sentence { try GatewayURL.check(url) })
    #expect(refusal.contains("--server") && refusal.contains("https://localhost:2197"), "\(refusal)")
    #expect(sentence { try LoadHost.admit(gateway: "https://127.0.0.1:2197", allowed: []) } == nil)
    #expect(sentence { try LoadHost.admit(gateway: nil, allowed: []) } == nil)
  }

  @Test("a name that leads to Apple, or away from this machine, is refused")
  func aliases() throws {
    let home = try PeerAddress.resolve("127.0.0.1", port: 1).addresses
    let apple = try PeerAddress.resolve("17.188.143.34", port: 1).addresses
    let other = try PeerAddress.resolve("192.0.2.1", port: 1).addresses
    func problem(_ addresses: [PeerAddress], _ names: [String], _ allowed: [String]) -> String? {
      do throws(InputProblem) {
        try LoadHost.check(addresses, names: names, host: "push.example", allowed: allowed)
        return nil
      } catch {
        return error.description
      }
    }
    #expect(problem(home, ["push.example"], []) == nil)
    #expect(problem(home + apple, [], ["push.example"])?.contains("leads to Apple (17.188.143.34:1)") == true)
    #expect(problem(home, ["api.push-apple.com.akadns.net"], ["push.example"])?.contains("leads to Apple") == true)
    #expect(problem(other, [], [])?.contains("192.0.2.1:1, which is not this machine") == true)
    #expect(problem(other, [], ["push.example"]) == nil)
  }
}
