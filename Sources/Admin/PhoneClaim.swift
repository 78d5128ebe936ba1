import APNs
import Grammar
import Simulation
import Timeline

/// Chooses phones that no open session names.
struct PhoneClaim: Sendable {
  static let members = ["count", "app", "os", "state"]
  private static let most = 1000

  private let count: Int
  private let filter: Filter
  private(set) var found: [DeviceID] = []
  /// Devices that match the criteria so far, free or not.
  private var matching = 0
  /// Devices looked at so far.
  private var looked: UInt32 = 0
  /// Where to go on; nil before the first look.
  private var next: UInt32?

  /// Reads `{"count": 1, "app": "com.example.app", "os": "26", "state": "online"}`; all members are optional.
  init(_ node: SourceNode) throws(InputProblem) {
    let fields = try Fields(node, "claim", known: Self.members)
    count = try fields.whole("count", 1...Self.most) ?? 1
    var filter = Filter()
    try FilterReader.read(fields, into: &filter)
    if !fields.has("state") { filter.isOnline = true }
    self.filter = filter
  }

  var isComplete: Bool { found.count == count }

  /// Looks at some devices.
  ///
  /// - Returns: whether others are left.
  mutating func look(in simulator: Simulator, at now: Instant) -> Bool {
    let sessions = simulator.readers.sessions
    let devices = simulator.world.fleet.plan.devices
    // Others may have claimed them meanwhile.
    found.removeAll { sessions.names($0) }
    let start = (next ?? sessions.nextClaim) % devices
    let most = min(BatchSize.devices, devices - looked)
    let page = simulator.world.devices(filter, from: start, limit: BatchSize.shown, most: most, at: now)
    for view in page.devices where !found.contains(view.id) {
      matching += 1
      if !isComplete, !sessions.names(view.id) { found.append(view.id) }
    }
    looked += (page.next ?? devices) - start
    next = page.next ?? 0
    return looked < min(devices, World.mostScanned)
  }

  /// Why there are too few.
  var problem: CommandProblem {
    let wanted = count == 1 ? "no phone is free" : "fewer than \(count) phones are free"
    return CommandProblem(
      .conflict, "claim",
      "Of \(matching) phones that match claim, \(wanted): the others belong to open sessions. Close those that are"
        + " over, or start with a larger fleet.")
  }
}
