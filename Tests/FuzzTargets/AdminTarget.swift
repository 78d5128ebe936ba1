import APNs
import Admin
import Devices
import Scenarios
import Simulation
import WireFormats

/// The admin API asked anything: a request a line, `METHOD target body`. A line that begins with `>` is a push, its
/// second character the token it goes to; one that begins with `!` is a request with other header fields.
struct AdminTarget {
  private static let mostLines = 40

  static func run(_ bytes: [UInt8]) throws(FuzzFinding) {
    var town = Town()
    try town.settle()
    try play(bytes, in: &town)
    try town.replay()
  }

  static func play(_ bytes: [UInt8], in town: inout Town) throws(FuzzFinding) {
    let desk = AdminService(version: "fuzz")
    for line in bytes.split(separator: 0x0A, maxSplits: mostLines).prefix(mostLines) {
      if line.first == UInt8(ascii: ">") {
        try push(line.dropFirst(), &town)
      } else {
        try ask(line, desk, &town)
      }
    }
  }

  private static func ask(_ line: ArraySlice<UInt8>, _ desk: AdminService, _ town: inout Town) throws(FuzzFinding) {
    let isOdd = line.first == UInt8(ascii: "!")
    let words = (isOdd ? line.dropFirst() : line).split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
    let body = words.count > 2 ? Array(words[2]) : []
    let named = substituted(String(decoding: words.count > 1 ? words[1] : [], as: UTF8.self), town)
    var headers = [(name: "host", value: "localhost:2190"), (name: "content-type", value: "application/json")]
    if isOdd { headers[0].value = String(decoding: body, as: UTF8.self) }
    let request = AdminRequest(
      method: String(decoding: words[0], as: UTF8.self), target: named, headers: headers, body: body)
    let (response, events) = desk.answer(request, &town.simulator, wall: Town.began)
    try town.read(events)
    try FuzzFinding.require((200..<500).contains(response.status), "\(request.target) is answered \(response.status)")
    guard response.contentType.hasPrefix("application/json"), !response.body.isEmpty else { return }
    let json = try? JSONValue.parse(response.body)
    try FuzzFinding.require(json != nil, "\(request.target) is answered with what is no JSON")
    guard response.status >= 400 else { return }
    try FuzzFinding.require(json?["error"]?.string?.isEmpty == false, "\(request.target) fails without a word")
  }

  /// Puts names in that an input cannot know.
  private static func substituted(_ target: String, _ town: Town) -> String {
    guard target.contains("@") else { return target }
    let fleet = town.simulator.world.fleet
    let push = town.simulator.readers.logs.pushLog.list(Filter(), before: nil, limit: 1).pushes.first
    return target.replacing("@id", with: push.map { "\($0.answer.id)" } ?? "0")
      .replacing("@token", with: fleet.token(DeviceID(0), app: 0, slot: .app)?.text ?? "0")
      .replacing("@device", with: DeviceID(0).text)
  }

  private static func push(_ line: ArraySlice<UInt8>, _ town: inout Town) throws(FuzzFinding) {
    let kind = Int(line.first ?? 0)
    let slot: TokenSlot = [.app, .pushToStart(type: 0), .update(activity: 0), .service(.voip)][kind % 4]
    let token = town.simulator.world.fleet.token(DeviceID(UInt32(kind / 4) % Town.devices), app: 0, slot: slot)
    try town.send(
      "/3/device/" + (token?.text ?? "00"), [(name: "apns-topic", value: Town.app + slot.suffix.text)],
      Array(line.dropFirst()))
  }
}
