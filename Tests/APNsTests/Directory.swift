import APNs
import Timeline

/// Device tokens as a list, for tests of the rules alone.
struct Directory: TokenDirectory {
  var standings: [DeviceToken: TokenStanding] = [:]
  var home = Environment.sandbox
  /// The topic of each address.
  var topics: [TokenAddress: String] = [:]
  /// Addresses that take no more requests.
  var tired: Set<TokenAddress> = []
  private(set) var admitted: [TokenAddress] = []

  func standing(of token: DeviceToken, in environment: Environment, at now: Instant) -> TokenStanding {
    environment == home ? standings[token] ?? .unknown : .unknown
  }

  func belongs(_ address: TokenAddress, to topic: Topic) -> Bool { topics[address] == topic.text }

  func onlyStarts(_ address: TokenAddress) -> Bool { false }

  mutating func admit(_ address: TokenAddress, at now: Instant) -> Bool {
    guard !tired.contains(address) else { return false }
    admitted.append(address)
    return true
  }
}

/// An address is written as a word of at most eight letters.
extension TokenAddress: ExpressibleByStringLiteral {
  public init(stringLiteral word: String) {
    self.init(high: word.utf8.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }, low: UInt64(word.utf8.count))
  }
}
