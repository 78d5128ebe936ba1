import APNs
import Devices
import Timeline
import WireFormats

/// A checksum of events: the same in every process and on every machine, and different for different events.
///
/// Not for security. With 32 bits, one difference in four billion is missed, but it shows in later events.
struct EventDigest {
  private var state: UInt64 = 0x7075_7368_7069_7421

  var whole: UInt64 { state }
  var value: UInt32 { UInt32(truncatingIfNeeded: state ^ state >> 32) }

  mutating func combine(_ word: UInt64) {
    // Both halves of the product, as in wyhash: every bit of the word reaches every bit of the state.
    let product = (state ^ word ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    state = product.high ^ product.low &+ word
  }

  mutating func combine(_ number: Int64) { combine(UInt64(bitPattern: number)) }
  mutating func combine(_ instant: Instant) { combine(instant.nanoseconds) }
  mutating func combine(_ device: DeviceID) { combine(UInt64(device.number)) }
  mutating func combine(_ truth: Bool) { combine(truth ? 1 : 2 as UInt64) }

  mutating func combine(_ text: String) {
    var text = text
    text.withUTF8 { combine(UnsafeRawBufferPointer($0)) }
  }

  mutating func combine(_ bytes: UnsafeRawBufferPointer) {
    combine(UInt64(bytes.count))
    var offset = 0
    while offset + 8 <= bytes.count {
      combine(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian)
      offset += 8
    }
    var last: UInt64 = 0
    while offset < bytes.count {
      last = last << 8 | UInt64(bytes[offset])
      offset += 1
    }
    combine(last)
  }

  /// A value that may be absent.
  mutating func combine<Value>(_ value: Value?, _ combine: (inout EventDigest, Value) -> Void) {
    guard let value else { return self.combine(0 as UInt64) }
    self.combine(1 as UInt64)
    combine(&self, value)
  }

  mutating func combine(_ id: NotificationID) {
    let characters = id.characters.span.bytes
    for offset in stride(from: 0, through: 24, by: 8) {
      combine(characters.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian)
    }
    combine(UInt64(characters.unsafeLoadUnaligned(fromByteOffset: 32, as: UInt32.self).littleEndian))
  }

  mutating func combine(_ response: HTTPResponse) {
    combine(Int64(response.status))
    response.fields.packed.withUnsafeBytes { combine($0) }
    response.body.withUnsafeBytes { combine($0) }
  }
}
