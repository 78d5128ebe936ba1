import WireFormats

/// `apns-priority`.
///
/// Documented: Apple, "Sending notification requests to APNs". Without the header a push has priority 10.
package enum Priority: Int, CaseIterable, Hashable, Sendable {
  /// Delivered at once.
  case immediate = 10
  /// Delivered when it suits the device's power.
  case powerAware = 5
  /// Never wakes the device.
  case passive = 1

  // Written out because other modules call the synthesized version through a witness table.
  @inlinable package static func == (left: Priority, right: Priority) -> Bool { left.rawValue == right.rawValue }

  static func named(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Priority? {
    if bytes.holds(range, "10") { return .immediate }
    if bytes.holds(range, "5") { return .powerAware }
    if bytes.holds(range, "1") { return .passive }
    return nil
  }
}
