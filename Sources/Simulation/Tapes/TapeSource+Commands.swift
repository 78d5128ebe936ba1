import APNs
import Devices
import Reporting
import Timeline
import WireFormats

/// Reads what `TapeBytes` writes of orders.
extension TapeSource {
  /// Levels of lists within lists, so that no record runs the stack out. The JSON of a backend's answer has no more.
  static let deepest = 1024

  mutating func command() throws(TapeFlaw) -> Command {
    switch try byte() {
    case 0: return .device(try device(), try action())
    case 1: return .devices(try selection(), try action())
    case 2: return .setFault(try fault())
    case 3: return .removeFault(try text())
    case 4: return .healAll
    case 5: return .answer(try number(), try outcome())
    case 6:
      let bytes = Array(try list())
      guard bytes.count <= DeviceToken.longest else { throw .senseless("a token of more than 128 bytes") }
      return .register(
        DeviceToken(bytes: bytes), try device(), app: try text(), try tokenKind(), attributesType: try optionalText(),
        activity: try optionalText())
    case 7: return .healSession(try text())
    case let kind: throw .senseless("an order of kind \(kind)")
    }
  }

  mutating func device() throws(TapeFlaw) -> DeviceID { DeviceID(try integer()) }

  mutating func devices() throws(TapeFlaw) -> [DeviceID] {
    var devices: [DeviceID] = []
    for _ in 0..<(try count()) { devices.append(try device()) }
    return devices
  }

  mutating func tokenKind() throws(TapeFlaw) -> TokenKind {
    let name = try text()
    guard let kind = TokenKind(name) else { throw .senseless("tokens of a kind \"\(name)\"") }
    return kind
  }

  private mutating func selection() throws(TapeFlaw) -> Selection {
    var selection = Selection()
    selection.filter.app = try optionalText()
    selection.filter.os = try optional { source throws(TapeFlaw) in try source.version() }
    selection.filter.osMajor = try optional { source throws(TapeFlaw) in
      try source.integer("a version of iOS", in: OSVersion.majors)
    }
    selection.filter.isOnline = try optional { source throws(TapeFlaw) in try source.truth() }
    selection.share = try odds()
    selection.shareName = try text()
    selection.devices = try optional { source throws(TapeFlaw) in try source.devices() }
    if let named = selection.devices, named.count > Selection.mostChanged {
      throw .senseless("an order on \(named.count) devices")
    }
    selection.start = try integer()
    return selection
  }

  mutating func version() throws(TapeFlaw) -> OSVersion {
    OSVersion(
      try integer("a version of iOS", in: OSVersion.majors), try integer("a version of iOS", in: OSVersion.minors))
  }

  private mutating func outcome() throws(TapeFlaw) -> CallOutcome {
    switch try byte() {
    case 0:
      return .answered(status: try integer(), body: try optional { source throws(TapeFlaw) in try source.json() })
    case 1: return .failed(try word(), try text())
    case let kind: throw .senseless("an end of a call of kind \(kind)")
    }
  }

  mutating func json(_ depth: Int = 0) throws(TapeFlaw) -> JSONValue {
    guard depth < Self.deepest else { throw .senseless("lists in lists, more than \(Self.deepest) deep") }
    switch try byte() {
    case 0: return .null
    case 1: return .bool(false)
    case 2: return .bool(true)
    case 3: return .integer(try signed())
    case 4: return .double(try double())
    case 5: return .string(try text())
    case 6:
      var elements: [JSONValue] = []
      for _ in 0..<(try count()) { elements.append(try json(depth + 1)) }
      return .array(elements)
    case 7: return .object(try members(depth + 1))
    case let kind: throw .senseless("a JSON value of kind \(kind)")
    }
  }

  mutating func members(_ depth: Int = 0) throws(TapeFlaw) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    for _ in 0..<(try count()) { members.append(JSONValue.Member(try text(), try json(depth))) }
    return members
  }
}
