import APNs
import Testing

@Suite("The key ring")
struct KeyRingTests {
  let ring = KeyRing(
    keys: Gate.keys,
    apps: [("com.example.app", "TEAM000001"), ("com.example.two", "TEAM000001"), ("org.other.app", "TEAM000002")]
  ) { _, _, _ in true }

  @Test("S7: the key ring finds a key by its exact id")
  func findsKeys() {
    #expect(ring.number(of: "KEY0000001") == 0 && ring.number(of: "OTHERTEAM1") == 4)
    #expect(ring.number(of: "key0000001") == nil && ring.number(of: "") == nil)
  }

  @Test("S7: a key may send to the apps of its team, and to its own topics where it names some")
  func allows() {
    #expect(ring.allows(key: 0, bundleID: "com.example.app") && ring.allows(key: 0, bundleID: "com.example.two"))
    #expect(!ring.allows(key: 0, bundleID: "org.other.app") && !ring.allows(key: 0, bundleID: "com.unknown"))
    #expect(ring.allows(key: 2, bundleID: "com.example.app") && !ring.allows(key: 2, bundleID: "com.example.two"))
    #expect(ring.allows(key: 4, bundleID: "org.other.app") && !ring.allows(key: 4, bundleID: "com.example.app"))
  }

  @Test("a key is related to itself, and to one other in both directions")
  func related() {
    let keys = Gate.keys
    #expect(keys[0].isRelated(to: keys[0]) && !keys[0].isRelated(to: keys[1]))
    #expect(keys[1].isRelated(to: keys[2]) && keys[2].isRelated(to: keys[1]))
    #expect(!keys[2].isRelated(to: keys[0]) && !keys[0].isRelated(to: keys[2]))
  }

  @Test("the key ring passes header, dot and claims, and the signature to the check")
  func signedPart() {
    let jwt = JWT(keyID: "K")
    let text = Array(jwt.text.utf8)
    let ring = KeyRing(keys: [], apps: []) { keyID, signed, signature in
      keyID == "K" && text.starts(with: signed) && text[signed.count] == UInt8(ascii: ".")
        && !text[(signed.count + 1)...].contains(UInt8(ascii: ".")) && signature == .raw(JWT.seal("K"))
    }
    let token = try? ProviderToken(text.span, 0..<text.count, strict: false)
    #expect(token.map { ring.signed($0, text) } == true)
  }
}
