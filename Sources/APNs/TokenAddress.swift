/// Where a device token leads, in whatever code its issuer uses; APNs carries it and does not read it.
///
/// Two words rather than a type parameter: the rules are on the path of every push, and code that is generic over
/// where tokens lead would be compiled without knowing it.
package struct TokenAddress: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}
