import Signing
import Testing
import WireFormats

@Suite("A provider token")
struct ProviderJWTTests {
  @Test("S6: a provider token has only algorithm, key, team and time")
  func namesFourFields() throws {
    let parts = try token().split(separator: ".").map(String.init)
    try #require(parts.count == 3)
    #expect(try text(parts[0]) == #"{"alg":"ES256","kid":"ABCDE12345"}"#)
    #expect(try text(parts[1]) == #"{"iss":"PUSHPIT001","iat":1767225600}"#)
  }

  @Test("S6: a provider token is signed over its first two parts as they are written")
  func isSigned() throws {
    let key = try SigningKey.generate()
    let parts = try token(key).split(separator: ".").map(String.init)
    let signature = try #require(Base64URL.decode(parts[2].utf8))
    let signed = parts[0] + "." + parts[1]
    #expect(signature.count == 64)
    #expect(key.verifyingKey.accepts(raw: signature, of: Array(signed.utf8)))
    #expect(!key.verifyingKey.accepts(raw: signature, of: Array((signed + "A").utf8)))
    #expect(!(try SigningKey.generate()).verifyingKey.accepts(raw: signature, of: Array(signed.utf8)))
  }

  @Test("S6: a provider token has no padding and only characters of base64url")
  func isCompact() throws {
    for seconds in Int64(1_767_225_600)..<1_767_225_620 {
      let token = try ProviderJWT.make(
        key: try SigningKey.generate(), keyID: "A1", teamID: "b2", issuedAt: seconds)
      #expect(token.utf8.allSatisfy { $0 == UInt8(ascii: ".") || Base64URL.decode([$0, $0, 0x41, 0x41]) != nil })
    }
  }

  @Test(
    "S6: a provider token is not made with an id that would need escaping",
    arguments: ["", "ABC\"12345", "ABCDE 1234", "ABCDE-1234", "ÀBCDE12345", "a/b", "line end", "nought"])
  func refusesIds(id: String) throws {
    // Control characters stay out of the arguments, which the test runner prints.
    let id = ["line end": "ABC\n", "nought": "x\u{0}"][id] ?? id
    let key = try SigningKey.generate()
    #expect(throws: SigningFailure.badIdentifier(what: "key id", text: id)) {
      try ProviderJWT.make(key: key, keyID: id, teamID: "PUSHPIT001", issuedAt: 0)
    }
    #expect(throws: SigningFailure.badIdentifier(what: "team id", text: id)) {
      try ProviderJWT.make(key: key, keyID: "ABCDE12345", teamID: id, issuedAt: 0)
    }
  }

  private func token(_ key: SigningKey? = nil) throws -> String {
    try ProviderJWT.make(
      key: try key ?? SigningKey.generate(), keyID: "ABCDE12345", teamID: "PUSHPIT001", issuedAt: 1_767_225_600)
  }

  private func text(_ part: String) throws -> String {
    String(decoding: try #require(Base64URL.decode(part.utf8)), as: UTF8.self)
  }
}
