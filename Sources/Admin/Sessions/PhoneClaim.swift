import APNs
import Devices
import Grammar
import Orders
import Scenarios
import Simulation
import Timeline

/// Chooses phones for a session. No session that is open or still ends names them, nor a second phone of their owners,
/// because what a backend does for a person reaches all of the person's phones.
struct PhoneClaim: Sendable {
  static let most = 1000
  /// Maximum number of sessions that an error names.
  private static let mostNamed = 5

  private let count: Int
  private let filter: Filter
  private let appPlace: String
  /// The filter as it was given, for sentences.
  private let criteria: String
  private(set) var found: [DeviceID] = []
  /// Devices that match the criteria so far, free or not.
  private var matching = 0
  /// Device numbers looked at so far.
  private var looked: UInt32 = 0
  /// Device numbers of this process among those looked at.
  private var lookedHere: UInt32 = 0
  /// The device number at which the search continues; nil before the first look.
  private var next: UInt32?
  /// True if sessions had to end that may have had some of the phones.
  private var sawEnding = false
  private var isSecond = false

  /// Reads `{"count": 1, "app": "com.example.app", "os": "26", "online": true}`; all members are optional.
  init(_ node: SourceNode) throws(InputProblem) {
    let fields = try Fields(node, "claim", known: RequestBody.claim.keys)
    count = try fields.whole("count", 1...Self.most) ?? 1
    var filter = Filter()
    try FilterReader.read(fields, into: &filter)
    if !fields.has("online") { filter.isOnline = true }
    self.filter = filter
    appPlace = node["app"]?.place ?? ""
    var words: [String] = []
    for name in ["app", "os"] { if let text = try fields.spelling(name) { words.append("\(name) \(text)") } }
    criteria = (words + [filter.isOnline == true ? "online" : "offline"]).joined(separator: ", ")
  }

  /// Rejects a claim for an app that no phone can have.
  func check(_ fleet: Fleet) throws(InputProblem) {
    guard let app = filter.app, !fleet.plan.apps.contains(where: { $0.bundleID == app }) else { return }
    throw InputProblem(fleet.unknownApp(app), field: "app", at: appPlace)
  }

  var isComplete: Bool { found.count == count }

  /// The claim from its beginning, if another look may find phones of sessions that have ended meanwhile. Once only.
  var again: PhoneClaim? {
    guard sawEnding, !isSecond else { return nil }
    var claim = self
    (claim.found, claim.matching, claim.looked, claim.lookedHere, claim.next) = ([], 0, 0, 0, nil)
    claim.isSecond = true
    return claim
  }

  /// Looks at some devices.
  ///
  /// - Returns: whether others are left.
  mutating func look(in simulator: Simulator, at now: Instant) -> Bool {
    let sessions = simulator.readers.sessions
    sawEnding = sawEnding || simulator.hasEndingSessions
    let fleet = simulator.world.fleet
    func isFree(_ device: DeviceID) -> Bool {
      !fleet.phones(of: fleet.owner(of: device)).contains { sessions.names($0) }
    }
    // Others may have claimed them meanwhile.
    found.removeAll { !isFree($0) }
    let (plan, devices) = (fleet.plan, fleet.plan.devices)
    let start = (next ?? sessions.nextClaim) % devices
    let most = min(BatchSize.devices, devices - looked)
    let page = simulator.world.devices(filter, from: start, limit: BatchSize.shown, most: most, at: now)
    for view in page.devices where !found.contains(view.id) {
      matching += 1
      if !isComplete, isFree(view.id) { found.append(view.id) }
    }
    let end = page.next ?? devices
    looked += end - start
    lookedHere += plan.cell.map { $0.share(of: end) - $0.share(of: start) } ?? end - start
    next = page.next ?? 0
    return looked < min(devices, World.mostScanned)
  }

  /// The reason why too few phones were found.
  func problem(in simulator: Simulator) -> CommandProblem {
    guard matching >= count else {
      let wanted = count == 1 ? "a phone" : "\(count) phones"
      return CommandProblem(
        .conflict, field: "claim",
        sentence: "claim asks for \(wanted), but \(matching) of \(lookedHere) phones match it (\(criteria)).")
    }
    let free = count == 1 ? "none is free" : "fewer than \(count) are free"
    let names = simulator.readers.sessions.names(isOpen: true)
    let others = simulator.world.fleet.hasSecondPhones ? "the others or their owners' second phones" : "the others"
    let shown = names.prefix(Self.mostNamed).joined(separator: ", ") + (names.count > Self.mostNamed ? ", ..." : "")
    return CommandProblem(
      .conflict, field: "claim",
      sentence:
        "Of \(matching) phones that match claim (\(criteria)), \(free): \(others) belong to open sessions (\(shown))."
        + " Close those that are over, or start with a larger fleet.")
  }
}
