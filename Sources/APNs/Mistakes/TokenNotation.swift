import WireFormats

/// Text in a path that is not the hexadecimal notation of a device token.
///
/// Observed: apps on iOS 13 and later that send the description of the token (meteor-push issue 7, flutter-apns
/// issue 8, node-apn issue 670).
package struct TokenNotation: Hashable, Sendable {
  /// A sentence that names the notation and the one that is needed.
  package let sentence: String
  /// The token that it stands for, as far as it can be read.
  package let token: DeviceToken?

  /// - Parameter path: the last part of the path, with or without percent-encoding.
  /// - Returns: nil for hexadecimal digits that may be a token.
  package init?(_ path: String) {
    let text = Self.decoded(path)
    if let token = DeviceToken(text) {
      if (16..<32).contains(token.count) {
        self.init("It has \(text.utf8.count) digits; device tokens have 64 or more, so a part is missing.", nil)
        return
      }
      guard let inner = Self.hexadecimal(token) else { return nil }
      self.init("It is the hexadecimal form of text that is hexadecimal already; encode the bytes once.", inner)
    } else if let other = Self.other(text) ?? Self.dressed(text) ?? Self.wrongLength(text) ?? Self.base64(text) {
      self = other
    } else {
      self.init("It is \(Shown.text(text)).", nil)
    }
  }

  private init(_ what: String, _ token: DeviceToken?) {
    sentence = "The path must end with the bytes of the device token as hexadecimal digits. \(what)"
    self.token = token
  }

  /// Text that has no token in it.
  private static func other(_ text: String) -> TokenNotation? {
    let small = text.lowercased()
    if small.contains("length") && small.contains("bytes") {
      return TokenNotation(
        "It is the description of the token as Data, which leaves bytes out since iOS 13 (\(Shown.text(text))); the app"
          + " must write each byte as two digits.", nil)
    }
    if small.hasPrefix("exponentpushtoken[") || small.hasPrefix("expopushtoken[") {
      return TokenNotation("It is a token of Expo's push service; Expo also gives the app its device token.", nil)
    }
    if text.contains(":APA91") {
      return TokenNotation(
        "It is a registration token of Firebase Cloud Messaging; APNs needs the device token, which Firebase calls"
          + " the APNs token.", nil)
    }
    if ["null", "nil", "undefined", "none", "nan", "optional", "[objectobject]", "true", "false"].contains(bare(small))
    {
      return TokenNotation("It is \(Shown.text(text)): the sender had no token.", nil)
    }
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    if groups.map(\.count) == [8, 4, 4, 4, 12], groups.allSatisfy({ $0.allSatisfy(\.isHexDigit) }) {
      return TokenNotation("It is a UUID, such as an identifierForVendor, which is no device token.", nil)
    }
    return nil
  }

  /// Hexadecimal digits with something around or between them.
  private static func dressed(_ text: String) -> TokenNotation? {
    var digits = bare(text)
    for prefix in ["Optional", "0x", "0X"] where digits.hasPrefix(prefix) { digits.removeFirst(prefix.count) }
    guard digits != text, digits.utf8.count >= 32, let token = DeviceToken(digits) else { return nil }
    return TokenNotation("It has other characters around or between the digits: \(Shown.text(text)).", token)
  }

  private static func bare(_ text: String) -> String {
    text.filter { !$0.isWhitespace && !"<>(){}\"',;:-".contains($0) }
  }

  private static func wrongLength(_ text: String) -> TokenNotation? {
    guard text.utf8.count > 8, text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
    let count = text.utf8.count
    if count > 2 * DeviceToken.longest { return TokenNotation("It has \(count) digits; 256 are allowed.", nil) }
    return TokenNotation("It has \(count) digits, an odd number, so a part is missing.", nil)
  }

  private static func base64(_ text: String) -> TokenNotation? {
    guard let bytes = Base64.decodeAnyForm(text.utf8), (16...2 * DeviceToken.longest).contains(bytes.count) else {
      return nil
    }
    if let token = DeviceToken(String(decoding: bytes, as: UTF8.self)) {
      return TokenNotation("It is base64 of the hexadecimal digits; send the digits themselves.", token)
    }
    guard bytes.count <= DeviceToken.longest else { return nil }
    return TokenNotation("It is base64, of \(bytes.count) bytes.", DeviceToken(bytes: bytes))
  }

  /// The token in a token whose bytes are hexadecimal digits.
  private static func hexadecimal(_ token: DeviceToken) -> DeviceToken? {
    guard token.count >= 32 else { return nil }
    let bytes = (0..<token.count).map { token.bytes[$0] }
    return DeviceToken(String(decoding: bytes, as: UTF8.self))
  }

  private static func decoded(_ path: String) -> String {
    guard path.utf8.contains(UInt8(ascii: "%")) else { return path }
    let bytes = Array(path.utf8)
    var decoded: [UInt8] = []
    var at = 0
    while at < bytes.count {
      if bytes[at] == UInt8(ascii: "%"), at + 2 < bytes.count,
        // `radix` accepts a sign.
        bytes[at + 1] != UInt8(ascii: "+"), bytes[at + 1] != UInt8(ascii: "-"),
        let byte = UInt8(String(decoding: bytes[at + 1...at + 2], as: UTF8.self), radix: 16)
      {
        decoded.append(byte)
        at += 3
      } else {
        decoded.append(bytes[at])
        at += 1
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }
}
