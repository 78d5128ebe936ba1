import APNs
import Timeline

/// Device tokens as a list, for tests of the rules alone.
struct Directory: TokenDirectory {
  var standings: [DeviceToken: TokenStatus] = [:]
  var home = Environment.sandbox
  /// The topic of each address.
  var topics: [Address: String] = [:]
  /// Addresses that take no more requests.
  var tired: Set<Address> = []
  private(set) var admitted: [Address] = []

  func status(of token: DeviceToken, in environment: Environment, at now: Instant) -> TokenStatus {
    environment == home ? standings[token] ?? .unknown : .unknown
  }

  func status(of address: Address, in environment: Environment, at now: Instant) -> TokenStatus {
    environment == home ? standings.values.first { $0.address == address } ?? .unknown : .unknown
  }

  func belongs(_ address: Address, to topic: Topic) -> Bool { topics[address] == topic.text }

  mutating func admit(_ address: Address, at now: Instant) -> Bool {
    guard !tired.contains(address) else { return false }
    admitted.append(address)
    return true
  }
}

/// An address is written as a word: devices are told apart by its letters.
extension Address: ExpressibleByStringLiteral {
  public init(stringLiteral word: String) {
    let number = word.utf8.reduce(UInt32(0)) { $0 &* 31 &+ UInt32($1) }
    self.init(device: DeviceID(number), app: 0, slot: .app, generation: 0)
  }
}
