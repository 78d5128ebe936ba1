import APNs
import Devices
import Timeline
import WireFormats

/// Sums events up in a number: the same in every process and on every machine, and another for another event.
///
/// Not for secrets; one difference in four thousand million goes unseen in 32 bits, and is seen in what follows.
struct EventDigest {
  private var state: UInt64 = 0x7075_7368_7069_7421

  var whole: UInt64 { state }
  var value: UInt32 { UInt32(truncatingIfNeeded: state ^ state >> 32) }

  @inline(__always)
  mutating func add(_ word: UInt64) {
    // Both halves of the product: as in wyhash, every bit of the word reaches every bit of the state.
    let product = (state ^ word ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    state = product.high ^ product.low &+ word
  }

  mutating func add(_ number: Int64) { add(UInt64(bitPattern: number)) }
  mutating func add(_ instant: Instant) { add(instant.nanoseconds) }
  mutating func add(_ device: DeviceID) { add(UInt64(device.number)) }
  mutating func add(_ truth: Bool) { add(truth ? 1 : 2 as UInt64) }

  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    add(UInt64(bytes.count))
    var offset = 0
    while offset + 8 <= bytes.count {
      add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian)
      offset += 8
    }
    var last: UInt64 = 0
    while offset < bytes.count {
      last = last << 8 | UInt64(bytes[offset])
      offset += 1
    }
    add(last)
  }

  /// A value that may be absent.
  mutating func add<Value>(_ value: Value?, _ add: (inout EventDigest, Value) -> Void) {
    guard let value else { return self.add(0 as UInt64) }
    self.add(1 as UInt64)
    add(&self, value)
  }

  mutating func add(_ id: NotificationID) {
    let characters = id.characters.span.bytes
    for offset in stride(from: 0, through: 24, by: 8) {
      add(characters.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian)
    }
    add(UInt64(characters.unsafeLoadUnaligned(fromByteOffset: 32, as: UInt32.self).littleEndian))
  }

  mutating func add(_ response: HTTPResponse) {
    add(Int64(response.status))
    response.fields.packed.withUnsafeBytes { add($0) }
    response.body.withUnsafeBytes { add($0) }
  }
}
