import APNs
import Testing
import Timeline
import WireFormats

@Suite("A channel id")
struct ChannelIDTests {
  private func made(_ count: Int, seed: UInt64 = 1, in home: ChannelOwner = ChannelStage.home) -> [String] {
    var registry = ChannelRegistry(seed: seed)
    return (0..<count).compactMap { _ in registry.create(.none, in: home, at: Gate.now.world)?.id.text }
  }

  @Test("a channel id is 24 characters of standard base64 with padding, and reads back as itself")
  func form() throws {
    for text in made(500) {
      #expect(text.utf8.count == 24 && text.hasSuffix("=="))
      #expect(text.dropLast(2).allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "+" || $0 == "/") })
      #expect(try #require(ChannelID(text)).text == text)
    }
    #expect(made(500).contains { $0.contains("+") } && made(500).contains { $0.contains("/") })
  }

  @Test("a channel id looks like that seen on the wire: a UUID of version 1 with clock sequence 0")
  func shape() throws {
    #expect(try #require(ChannelID("tvI2UK0vEfEAAA6GFnjo2Q==")).text == "tvI2UK0vEfEAAA6GFnjo2Q==")
    for text in made(50) {
      let letters = text.dropLast(2).map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
      let octets = try #require(Base64URL.decode(String(letters).utf8))
      #expect(octets.count == 16 && octets[6] >> 4 == 1 && octets[8...9] == [0, 0], "\(text)")
    }
  }

  @Test(
    "any text other than 24 characters of base64 is no channel id",
    arguments: [
      "", "=", "==", "dHN0LXNyY2gtY2hubA==", "tvI2UK0vEfEAAA6GFnjo2Q", "tvI2UK0vEfEAAA6GFnjo2Q=A",
      "tvI2UK0vEfEAAA6GFnjo2R==", "tvI2UK0vEfEAAA6GFnjo-Q==", "tvI2UK0vEfEAAA6GFnjo_w==", "tvI2UK0vEfEAAA6GFnjo2===",
      "tvI2UK0vEfEAAA6GFnjo2Q===", "tvI2 K0vEfEAAA6GFnjo2Q==", "b6f23650ad2f11f100000e86", "€€€€€€€€",
    ])
  func others(text: String) {
    #expect(ChannelID(text) == nil)
  }

  @Test("the same seed gives the same channel ids, whatever happens in other homes; another seed or home gives others")
  func drawn() {
    var registry = ChannelRegistry(seed: 1)
    let homes = [
      ChannelStage.home, ChannelOwner(.production, ChannelCall.app), ChannelOwner(.sandbox, "com.example.two"),
    ]
    var ids: [ChannelOwner: [String]] = [:]
    for _ in 0..<20 {
      for home in homes {
        if let made = registry.create(.none, in: home, at: Gate.now.world) {
          ids[home, default: []].append(made.id.text)
        }
      }
    }
    for home in homes { #expect(ids[home] == made(20, in: home)) }
    #expect(Set(ids.values.joined()).count == 60)
    #expect(made(3) == made(3) && Set(made(3)).isDisjoint(with: made(3, seed: 2)))
  }
}
