import APNs
import Devices
import Reporting
import Timeline
import WireFormats

/// How a tape says what was ordered. The numbers are the format's: one that has been given away is never used for
/// another order.
extension TapeBytes {
  mutating func put(_ command: Command) {
    switch command {
    case .device(let device, let action):
      put(byte: 0)
      put(device)
      put(action)
    case .devices(let selection, let action):
      put(byte: 1)
      put(selection)
      put(action)
    case .setFault(let fault):
      put(byte: 2)
      put(fault)
    case .removeFault(let name):
      put(byte: 3)
      put(name)
    case .healAll: put(byte: 4)
    case .healSession(let session):
      put(byte: 7)
      put(session)
    case .answer(let call, let outcome):
      put(byte: 5)
      put(call)
      put(outcome)
    case .register(let token, let device, let app, let kind, let type, let activity):
      put(byte: 6)
      put((0..<token.count).map { token.bytes[$0] })
      put(device)
      put(app)
      put(kind.name)
      put(type)
      put(activity)
    }
  }

  mutating func put(_ device: DeviceID) { put(UInt64(device.number)) }

  mutating func put(_ devices: some Collection<DeviceID>) {
    put(UInt64(devices.count))
    for device in devices { put(device) }
  }

  private mutating func put(_ selection: Selection) {
    put(selection.filter.app)
    put(selection.filter.os) { $0.put($1) }
    put(selection.filter.osMajor) { $0.put($1) }
    put(selection.filter.isOnline) { $0.put($1) }
    put(selection.share)
    put(selection.shareName)
    put(selection.devices) { $0.put($1) }
    put(UInt64(selection.start))
  }

  mutating func put(_ version: OSVersion) {
    put(version.major)
    put(version.minor)
  }

  private mutating func put(_ outcome: CallOutcome) {
    switch outcome {
    case .answered(let status, let body):
      put(byte: 0)
      put(status)
      put(body) { $0.put($1) }
    case .failed(let failure, let sentence):
      put(byte: 1)
      put(failure.rawValue)
      put(sentence)
    }
  }

  /// By hand and not as text, for the text of a number may stand for another number.
  mutating func put(_ value: JSONValue) {
    switch value {
    case .null: put(byte: 0)
    case .bool(let truth): put(byte: truth ? 2 : 1)
    case .integer(let number):
      put(byte: 3)
      put(signed: number)
    case .double(let number):
      put(byte: 4)
      put(number)
    case .string(let text):
      put(byte: 5)
      put(text)
    case .array(let elements):
      put(byte: 6)
      put(UInt64(elements.count))
      for element in elements { put(element) }
    case .object(let members):
      put(byte: 7)
      put(members)
    }
  }

  mutating func put(_ members: [JSONValue.Member]) {
    put(UInt64(members.count))
    for member in members {
      put(member.key)
      put(member.value)
    }
  }
}
