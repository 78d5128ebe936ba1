import PushpitTesting
import Testing

@Suite("The table of all client libraries", .pushpit(fleet: 400))
struct BehaviorTests {
  @Test("each case for a library in the server's process is played through both doors", arguments: BehaviorTable.played)
  func plays(_ one: BehaviorTable.Case) async throws {
    let elsewhere = try await Elsewhere(answering: "hi")
    let other = try await Elsewhere(answering: #"{"name":"pushpit","version":"9.9.9"}"#)
    let urls = ["elsewhere": elsewhere.url, "anotherVersion": other.url]
    // One after the other, because a case may give its session a name.
    for door in Door.allCases { try await Player(try await door.server(Pushpit.server()), urls: urls).play(one) }
    withExtendedLifetime((elsewhere, other)) {}
  }

  @Test("the table has cases, and each case that is skipped")
  func table() {
    let names = BehaviorTable.all.map(\.name)
    #expect(names.count > 60 && Set(names).count == names.count)
    for (name, reason) in BehaviorTable.skipped {
      #expect(names.contains(name))
      #expect(!reason.isEmpty)
    }
    #expect(BehaviorTable.played.count == names.count - BehaviorTable.skipped.count)
  }

  @Test(
    "a result that differs from the table is noticed",
    arguments: [
      (["a": 1], ["a": 2]), (["a": 1], [:]), ([1], [1, 2]), (["$count": 1], []), (["$text": "^a"], "ba"),
      (["$any": ["a": 1]], [["a": 2]]), ("a", "b"), (nil, 0),
    ] as [(JSON, JSON)])
  func differs(_ wanted: JSON, _ found: JSON) { #expect(Mismatch.find(wanted, found) != nil) }
}
