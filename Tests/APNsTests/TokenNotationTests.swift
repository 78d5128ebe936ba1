import APNs
import Testing
import WireFormats

/// Observed: what apps and backends send in place of a device token. activitree/meteor-push issue 7,
/// mway-io/flutter-apns issue 8, node-apn issue 670.
@Suite("Text in the place of a device token")
struct TokenNotationTests {
  static let token = String(repeating: "0a5f", count: 16)
  static var bytes: [UInt8] { (0..<16).flatMap { _ in [0x0A, 0x5F] as [UInt8] } }

  static let quoted: String = "\"" + token + "\""
  static let others: [(path: String, words: String)] = [
    ("<0a5f0a5f 0a5f0a5f 0a5f0a5f 0a5f0a5f 0a5f0a5f 0a5f0a5f 0a5f0a5f 0a5f0a5f>", "other characters"),
    ("%3C0a5f0a5f%200a5f0a5f 0a5f0a5f 0a5f0a5f 0a5f0a5f 0a5f0a5f 0a5f0a5f 0a5f0a5f%3E", "other characters"),
    ("0x" + token, "other characters"), (quoted, "other characters"), (token + "%0A", "other characters"),
    ("Optional(" + quoted + ")", "other characters"),
    (Base64.encode(bytes), "It is base64, of 32 bytes."), (Base64URL.encode(bytes), "It is base64, of 32 bytes."),
    (Base64.encode(Array(token.utf8)), "base64 of the hexadecimal digits"),
    (Hex.encode(Array(token.utf8)), "hexadecimal already"),
  ]

  @Test("text that holds the token in another notation is named, and the token is found", arguments: others)
  func otherNotation(path: String, words: String) throws {
    let notation = try #require(TokenNotation(path))
    #expect(notation.sentence.contains(words), "\(notation.sentence)")
    #expect(notation.token == DeviceToken(Self.token))
  }

  static let nothing: [(path: String, words: String)] = [
    ("{length=32,bytes=0x0100f178440e442f8001dbbeac64f962...c6350c6acc2a1b2c}", "description of the token as Data"),
    ("%7Blength%20%3D%2032%2C%20bytes%20%3D%200x0a5f0a5f%20...%200a5f0a5f%20%7D", "description of the token as Data"),
    ("dGhpc19pc19ub3Q:APA91bHPRgkF3JUikC4ENAHEeMrd41Zxv3hVZjC9KtT8OvPVGJ", "Firebase Cloud Messaging"),
    ("ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]", "Expo's push service"),
    ("6B29FC40-CA47-1067-B31D-00DD010662DA", "It is a UUID"),
    ("null", "had no token"), ("(null)", "had no token"), ("undefined", "had no token"), ("Optional()", "had no token"),
    (String(token.dropLast()), "63 digits, an odd number"), (String(token.dropLast(4)), "60 digits; device tokens"),
    (String(repeating: "ab", count: 129), "258 digits"),
    ("my token", "It is \"my token\"."), ("a\nb%00c", "It is \"a?b?c\"."),
  ]

  @Test("text that holds no token is named, and gives no token", arguments: nothing)
  func noToken(path: String, words: String) throws {
    let notation = try #require(TokenNotation(path))
    #expect(notation.sentence.contains(words), "\(notation.sentence)")
    #expect(notation.token == nil)
  }

  @Test("text that may be a token is not named", arguments: [token, "aaaa", "00", String(repeating: "ab", count: 80)])
  func plain(path: String) { #expect(TokenNotation(path) == nil) }

  @Test("text in place of a token is shown in one line of at most 80 characters, whatever its contents")
  func hostile() throws {
    for path in ["", "%", "%4", "%zz%", String(repeating: "%00", count: 3000), String(repeating: "é", count: 5000)] {
      let sentence = try #require(TokenNotation(path)).sentence
      #expect(sentence.count < 300 && !sentence.contains("\n") && !sentence.contains("\0"))
    }
  }
}
