import APNs
import Testing
import Timeline
import WireFormats

@Suite("A provider token")
struct ProviderTokenTests {
  private func read(_ text: String, strict: Bool = false) -> ProviderToken? {
    let bytes = Array(text.utf8)
    return try? ProviderToken(bytes.span, 0..<bytes.count, strict: strict)
  }

  private func read(header: String? = nil, claims: String? = nil, signature: [UInt8]? = nil) -> ProviderToken? {
    let jwt = JWT()
    return read(
      JWT.text(
        header: header ?? jwt.header, claims: claims ?? jwt.claims, signature: signature ?? JWT.seal("KEY0000001")))
  }

  @Test("S6: a provider token has its key, its team, its time of issue, and the signed bytes")
  func sound() throws {
    let text = JWT().text
    let token = try #require(read(text))
    #expect(token.keyID == "KEY0000001" && token.teamID == "TEAM000001")
    #expect(token.issuedAt == Instant(seconds: 1_700_000_000))
    #expect(token.signature == .raw(JWT.seal("KEY0000001")))
    #expect(String(text.prefix(token.signedCount)) == text.split(separator: ".").prefix(2).joined(separator: "."))
    #expect(read(text, strict: true) == token)
  }

  @Test("a provider token is read in place among other bytes")
  func readInPlace() throws {
    let text = JWT().text
    let bytes = Array(("bearer " + text + "tail").utf8)
    let token = try? ProviderToken(bytes.span, 7..<(bytes.count - 4), strict: false)
    #expect(token != nil && token == read(text))
  }

  @Test(
    "a crit in its header is refused, whatever it names: RFC 7515 4.1.11",
    arguments: [#"["exp"]"#, #"["b64"]"#, "[]", "null", #""exp""#])
  func critical(crit: String) {
    let header = { (extra: String) in #"{"alg":"ES256","kid":"KEY0000001"\#(extra)}"# }
    #expect(read(header: header("")) != nil)
    #expect(read(header: header(#","exp":1"#)) != nil)
    #expect(read(header: header(#","crit":\#(crit),"exp":1,"b64":true"#)) == nil)
  }

  @Test("a signature is 64 bytes, or a DER sequence of 8 to 72 unless we are strict")
  func signatures() {
    let der = [0x30] + [UInt8](repeating: 1, count: 69)
    #expect(read(signature: der)?.signature == .der(der))
    #expect(read(JWT(signature: der).text, strict: true) == nil)
    for count in [8, 70, 71, 72] {
      #expect(read(signature: Array(([0x30] + JWT.seal("") + JWT.seal("")).prefix(count))) != nil)
    }
    for count in [0, 1, 7, 63, 65, 73, 96, 128] {
      let bytes = [UInt8](repeating: count == 65 ? 0x31 : 0x30, count: count)
      let isDER = (8...72).contains(count) && count != 65
      #expect((read(signature: bytes) != nil) == isDER, "\(count) bytes")
    }
  }

  @Test(
    "S6: iat may be an integer, a float, or either in a string; strict, only an integer",
    arguments: [
      ("1700000000", 1_700_000_000, true), ("1700000000.75", 1_700_000_000, false), ("1.7e9", 1_700_000_000, false),
      (#""1700000000""#, 1_700_000_000, false), (#""1700000000.5""#, 1_700_000_000, false), ("-5", -5, true),
      ("-5.5", -6, false), ("0", 0, true), ("1700000000.0", 1_700_000_000, false),
    ] as [(String, Int64, Bool)])
  func stamps(issuedAt: String, seconds: Int64, passesStrictly: Bool) {
    #expect(read(JWT(issuedAt: issuedAt).text)?.issuedAt == Instant(seconds: seconds))
    #expect((read(JWT(issuedAt: issuedAt).text, strict: true) != nil) == passesStrictly)
  }

  @Test(
    "S6: an iat that is not a valid time makes the token invalid",
    arguments: [
      #""""#, #""now""#, #""nan""#, #""inf""#, #""-infinity""#, #""1e300""#, "1e300", "1e999", "-1e300", "null", "true",
      "[1700000000]", "{}", "NaN", #"" 1700000000""#, "18446744073709551615", "99999999999999999999999999", "0x10", "",
    ])
  func noStamp(issuedAt: String) {
    #expect(read(JWT(issuedAt: issuedAt).text) == nil)
  }

  @Test("S6: alg, kid, iss and iat must be there and be strings and a number")
  func missingParts() {
    #expect(read(JWT(keyID: nil).text) == nil)
    #expect(read(JWT(teamID: nil).text) == nil)
    #expect(read(JWT(issuedAt: nil).text) == nil)
    #expect(read(header: #"{"kid":"KEY0000001"}"#) == nil)
    #expect(read(header: #"{"alg":"ES256","kid":5}"#) == nil)
    #expect(read(header: #"{"alg":"ES256","kid":null}"#) == nil)
    #expect(read(claims: #"{"iss":1234567890,"iat":1700000000}"#) == nil)
  }

  @Test(
    "S6: the algorithm must be exactly ES256",
    arguments: ["none", "HS256", "es256", "ES256 ", "RS256", "ES384", "", "None"])
  func algorithms(name: String) {
    #expect(read(JWT(algorithm: name).text) == nil)
    #expect(read(JWT(algorithm: name, signature: []).text) == nil)
  }

  @Test("other fields and claims, spaces and any order are fine")
  func liberal() {
    let header = #"{ "typ" : "JWT", "kid":"KEY0000001" , "x":{"y":[1,2]},"alg": "ES256" }"#
    let claims =
      "{\n  \"exp\": 1700003600,\n  \"sub\": \"com.example.app\",\n  \"iat\": 1700000000,\n  \"iss\": \"TEAM000001\"\n}"
    #expect(read(header: header, claims: claims) == read(header: header, claims: claims))
    #expect(read(header: header, claims: claims)?.teamID == "TEAM000001")
  }

  @Test("the last of two members of a provider token with the same name is used")
  func duplicates() {
    #expect(read(header: #"{"alg":"none","alg":"ES256","kid":"a","kid":"b"}"#)?.keyID == "b")
    #expect(read(header: #"{"alg":"ES256","alg":"none","kid":"a"}"#) == nil)
    #expect(read(claims: #"{"iss":"a","iss":"b","iat":1,"iat":2}"#)?.issuedAt == Instant(seconds: 2))
  }

  @Test(
    "a header or claims that are not a JSON object make the token invalid",
    arguments: ["", " ", "[]", "\"ES256\"", "null", "5", "{", "{}", #"{"alg":"ES256","kid":"KEY0000001""#, "\u{0}"])
  func noObjects(json: String) {
    #expect(read(header: json) == nil)
    #expect(read(claims: json) == nil)
  }

  @Test("JSON nested a thousand levels deep makes the token invalid, and does no harm")
  func nested() {
    let deep = String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000)
    #expect(read(header: #"{"alg":"ES256","kid":"KEY0000001","x":\#(deep)}"#) == nil)
    #expect(read(claims: #"{"iss":"TEAM000001","iat":1700000000,"x":\#(deep)}"#) == nil)
    #expect(read(claims: deep) == nil)
  }

  @Test("a provider token has three parts in base64")
  func parts() {
    let text = JWT().text
    let parts = text.split(separator: ".").map(String.init)
    let broken = [
      "", ".", "..", "...", parts[0], parts[0] + "." + parts[1], text + ".", "." + text, text + "." + parts[2],
      ".\(parts[1]).\(parts[2])", "\(parts[0])..\(parts[2])", "\(parts[0]).\(parts[1]).", text + "=", text + "===",
      parts[0] + "====." + parts[1] + "." + parts[2], text + " ", " " + text, text.replacing(".", with: " "),
      text + "+", text.replacing(parts[2], with: String(repeating: "/", count: 86)), "eyJ", text + "A",
    ]
    for text in broken { #expect(read(text) == nil, "\(text)") }
  }

  /// Inferred: reown-com/a2 writes standard base64 with padding in all of its versions from 0.5 to 0.10.
  @Test(
    "each part may be base64 of either alphabet, padded or not, and strict only of JWT's form",
    arguments: [0, 1, 2], [true, false])
  func otherBase64(part: Int, isPadded: Bool) throws {
    // Bytes whose base64 has + and /, in JSON and in a signature.
    let texts = [
      Array(#"{"alg":"ES256","kid":"KEY0000001","x":"~~~???>>>"}"#.utf8),
      Array(#"{"iss":"TEAM000001","iat":1700000000,"x":"~~~???>>>"}"#.utf8),
      Array(JWT.seal("").dropLast(3)) + [0xFB, 0xEF, 0xFF],
    ]
    var parts = texts.map { Base64URL.encode($0) }
    let usual = try #require(read(parts.joined(separator: ".")))
    var other = Base64.encode(texts[part])
    if !isPadded { other.removeAll { $0 == "=" } }
    #expect(other != parts[part])
    parts[part] = other
    let token = try #require(read(parts.joined(separator: ".")))
    #expect(token.keyID == usual.keyID && token.teamID == usual.teamID && token.signature == usual.signature)
    #expect(token.signedCount == parts[0].utf8.count + 1 + parts[1].utf8.count)
    #expect(read(parts.joined(separator: "."), strict: true) == nil)
    parts[part] += "===="
    #expect(read(parts.joined(separator: ".")) == nil, "padding that is not the right one")
  }

  @Test("a token truncated at any place is invalid")
  func truncated() {
    let text = JWT().text
    for count in 0..<text.utf8.count { #expect(read(String(text.prefix(count))) == nil, "cut at \(count)") }
    #expect(read(text) != nil)
  }

  @Test("a token of 10 KB is invalid, whatever it contains")
  func huge() {
    let padding = String(repeating: "x", count: 8000)
    #expect(read(claims: #"{"iss":"TEAM000001","iat":1700000000,"x":"\#(padding)"}"#) == nil)
    #expect(read(claims: #"{"iss":"TEAM000001","iat":1700000000,"x":"\#(padding.prefix(1000))"}"#) != nil)
    #expect(read(String(repeating: "a", count: 10_240)) == nil)
  }

  @Test("any one changed character gives another token or an invalid one")
  func everyCharacterCounts() throws {
    let text = Array(JWT().text.utf8)
    let sound = try #require(read(String(decoding: text, as: UTF8.self)))
    for place in text.indices {
      var other = text
      other[place] = other[place] == 0x41 ? 0x42 : 0x41
      let token = read(String(decoding: other, as: UTF8.self))
      // `typ` and the like may change and leave the parts alone; here every letter is of a part that is read, or JSON's.
      #expect(token != sound, "character \(place)")
    }
  }

  @Test("S20: every malformed token is answered InvalidProviderToken")
  func answered() throws {
    var gate = try Gate()
    for text in ["x", "a.b.c", "..", JWT(algorithm: "none", signature: []).text, JWT(algorithm: "HS256").text] {
      var push = Push()
      push.authorization = "bearer " + text
      #expect(gate.reason(push) == .invalidProviderToken, "\(text)")
    }
    #expect(gate.checks.count == 0)
  }
}
