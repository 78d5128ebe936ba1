import Configuration
import Foundation
import Grammar
import ScenarioFiles
import Scenarios
import Simulation
import Testing
import WireFormats

/// A story of `Tests/SettingEffects`.
private struct SettingEffect: CustomTestStringConvertible, Sendable {
  private static let app = "fleet.apps."
  let key: String
  private let value: JSONValue
  private let story: JSONValue

  var testDescription: String { "\(key): \(value.string ?? value.text)" }

  init?(_ story: JSONValue) {
    guard let set = story["set"]?.members, set.count == 1 else { return nil }
    (key, value) = (set[0].key, set[0].value)
    self.story = story
  }

  /// The scenario, with the setting's value or with its default.
  func scenario(isSet: Bool) throws -> Scenario {
    let usual: [JSONValue.Member] = [
      .init("fleet.ideal", .bool(true)), .init("fleet.devices", .integer(1)), .init("fleet.os", .string("26.1:1")),
      .init(Self.app + "bundleId", .string("com.example.app")),
      .init(Self.app + "attributesTypes", .array([.string("MatchAttributes")])),
    ]
    let quick: [JSONValue.Member] =
      story["quick"] == nil
      ? [] : [.init("prompt.policy", .string("never")), .init("timing.immediate", .bool(true))]
    let own: [JSONValue.Member] = isSet ? [.init(key, value)] : []
    var values: [JSONValue.Member] = []
    for member in usual + quick + (story["with"]?.members ?? []) + own {
      values.removeAll { $0.key == member.key }
      values.append(member)
    }
    let settings = Self.settings(values)
    let scenario: JSONValue = [
      "for": story["for"] ?? .string("2h"), "settings": settings, "steps": story["steps"] ?? .null,
      "expect": story["expect"] ?? .null,
    ]
    let text = scenario.text.replacing("LONG", with: String(repeating: "long ", count: 700))
    return try ScenarioFile.parse(text, named: "\(key).yaml").scenario
  }

  /// The settings as a scenario has them: the keys with dots nested, and those of the app in a list of one.
  private static func settings(_ values: [JSONValue.Member]) -> JSONValue {
    let isOfApp: (JSONValue.Member) -> Bool = { $0.key.hasPrefix(Self.app) }
    let app = values.filter(isOfApp).map { JSONValue.Member(String($0.key.dropFirst(Self.app.count)), $0.value) }
    let apps = JSONValue.Member("fleet.apps", .array([nested(app)]))
    return nested(values.filter { !isOfApp($0) } + [apps])
  }

  private static func nested(_ values: [JSONValue.Member]) -> JSONValue {
    var members: [JSONValue.Member] = []
    for value in values {
      let name = String(value.key.prefix { $0 != "." })
      guard !members.contains(where: { $0.key == name }) else { continue }
      guard name != value.key else {
        members.append(value)
        continue
      }
      let inner = values.filter { $0.key.hasPrefix(name + ".") }
      let below = inner.map { JSONValue.Member(String($0.key.dropFirst(name.count + 1)), $0.value) }
      members.append(JSONValue.Member(name, nested(below)))
    }
    return .object(members)
  }

  /// The stories as they are written.
  static let written: [JSONValue] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../SettingEffects")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    func text(_ name: String) -> String {
      (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
    }
    let shared = text("shared.yaml")
    return names.filter { $0.hasSuffix(".yaml") && $0 != "shared.yaml" }.sorted().flatMap { name in
      let root = try? SettingsFile.compose(shared + text(name), named: name).root
      return root?.json["effects"]?.elements ?? [.string(name)]
    }
  }()

  static let all = written.compactMap { SettingEffect($0) }
}

@Suite("The effect of a setting")
struct SettingEffectTests {
  @Test("a story holds with the setting's value, and not with its default", arguments: SettingEffect.all)
  fileprivate func effect(_ effect: SettingEffect) throws {
    let with = ScenarioPlayer.play(try effect.scenario(isSet: true))
    #expect(with.passed, "\(with.text)")
    let without = ScenarioPlayer.play(try effect.scenario(isSet: false))
    #expect(!without.verdicts.isEmpty && without.verdicts.allSatisfy { !$0.passed }, "\(without.text)")
  }

  @Test("every story of Tests/SettingEffects is read, and changes a setting that exists")
  func read() {
    #expect(SettingEffect.written.count > 100)
    #expect(SettingEffect.written.count == SettingEffect.all.count)
    let keys = Setting.table.map(\.key) + AppSettingKey.table.map { "fleet.apps." + $0.key }
    #expect(SettingEffect.all.map(\.key).filter { !keys.contains($0) } == [])
  }
}
