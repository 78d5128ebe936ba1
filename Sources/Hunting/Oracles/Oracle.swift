import APNs
import WireFormats

/// A judge of variants. It knows what the backend was told, and accuses it only of what it could have done better with
/// that.
///
/// Each compares a variant with the plain play of the same story and seed, so that what the story does by itself is
/// not blamed on trouble.
package protocol Oracle: SendableMetatype {
  /// The name, as owners of stories write it to accept what it finds.
  static var name: String { get }
  /// A sentence about what it finds.
  static var meaning: String { get }

  /// - Parameters:
  ///   - variant: played to its end, or until the backend ended.
  ///   - plain: the same story and seed without perturbations.
  static func judge(_ variant: Witness, plain: Witness) -> [HuntFailure]
}

package enum Oracles {
  /// In the order in which failures are told; of one bug, the first names it best.
  package static let all: [any Oracle.Type] = [
    BackendFails.self, TokenForgotten.self, LastStateLost.self, AlertLost.self, StartedTwice.self,
    AlertTwice.self, DeadTokenPushed.self, BackendFindings.self,
  ]

  /// The failures of a variant. Of a backend that has ended, nothing else is told: it could not do better any more.
  package static func judge(_ variant: Witness, plain: Witness) -> [HuntFailure] {
    guard isJudged(variant, plain: plain) else { return BackendFails.judge(variant, plain: plain) }
    return all.flatMap { $0.judge(variant, plain: plain) }
  }

  /// True if all oracles may judge a variant, and not only whether the backend lives.
  private static func isJudged(_ variant: Witness, plain: Witness) -> Bool {
    variant.ended == nil && variant.isComplete && plain.isComplete
  }

  /// False if most oracles say nothing about a variant, whatever the backend has done.
  package static func judges(_ variant: Witness, plain: Witness) -> Bool {
    isJudged(variant, plain: plain) && variant.wasAskedForTheSame(as: plain)
  }
}

extension Oracle {
  /// - Parameter expectation: an entry of `expect` that fails as this does.
  static func failure(
    _ subject: String, _ sentence: String, expectation: JSONValue? = nil, timeline: [String] = []
  ) -> HuntFailure {
    HuntFailure(HuntFailure.Group(name, subject), sentence, expectation: expectation, timeline: timeline)
  }
}

/// Entries of `expect`.
enum Expect {
  /// - Parameter shown: members of `show`.
  static func screen(of device: DeviceID, _ name: String, shows shown: [JSONValue.Member]) -> JSONValue {
    [
      "name": .string("\(device.text) \(name)"), "screens": ["devices": [.string(device.text)]],
      "show": .object(shown),
    ]
  }

  static func findings(_ kind: String, most: Int) -> JSONValue {
    let few: JSONValue.Member = most == 0 ? .init("none", true) : .init("count", .string("0..\(most)"))
    return .object([
      .init("name", .string("\(most == 0 ? "no finding" : "few findings") \(kind)")),
      .init("findings", ["kind": .string(kind)]), few,
    ])
  }
}

/// Cases of one oracle, grouped by what they have in common, in the order in which they came.
struct Cases<Example> {
  private(set) var groups: [(subject: String, examples: [Example])] = []

  mutating func add(_ subject: String, _ example: Example) {
    if let place = groups.firstIndex(where: { $0.subject == subject }) {
      groups[place].examples.append(example)
    } else {
      groups.append((subject, [example]))
    }
  }
}

/// A number with its noun, such as `1 card` and `12 cards`.
package func counted(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }

/// A number of a total with its noun, such as `1 of 200 cards`.
func counted(_ count: Int, of total: Int, _ noun: String) -> String {
  count == total && total == 1 ? "the only \(noun)" : "\(count) of \(counted(total, noun))"
}
