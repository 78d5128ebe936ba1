import APNs
import Devices
import Grammar
import Scenarios
import Simulation
import Timeline
import WireFormats

/// The tokens that a request to `/v1/tokens` asks for.
struct TokenSearch: Sendable {
  static let cell = Parameter("cell", as: .text, .string.with(["pattern": "^[0-9]{1,3}(/[0-9]{1,3})?$"]))

  private let filter: Filter
  /// The only devices to look at, one device or the phones of one person; nil for all.
  private let devices: [DeviceID]?

  init(_ query: Query, _ simulator: Simulator) throws(AdminProblem) {
    var filter = try query.filter()
    filter.cell = try Self.cell(query, simulator.world.fleet.plan.cell)
    let fleet = simulator.world.fleet
    if let device = filter.devices?.first { try Self.check(device, isOwn: filter.cell == nil, fleet) }
    try DeviceRoutes.checkUser(of: filter, isOwn: filter.cell == nil, fleet)
    self.filter = fleet.resolved(filter)
    devices = self.filter.devices
  }

  /// A misspelled device is an error, because an empty list would look like a phone without tokens.
  private static func check(_ device: DeviceID, isOwn: Bool, _ fleet: Fleet) throws(AdminProblem) {
    guard fleet.contains(device) else {
      throw AdminProblem(query: InputProblem(fleet.unknown("device", device.text), field: "device"))
    }
    if isOwn, let sentence = fleet.foreignCellSentence(device) {
      throw AdminProblem(query: InputProblem(sentence, field: "device"))
    }
  }

  /// `3/16`, or just `3` if this server is one of 16 cells. The tokens of another cell are those with which it began.
  private static func cell(_ query: Query, _ own: Cell?) throws(AdminProblem) -> Cell? {
    guard let text = try query.value(cell) else { return nil }
    if let cell = Cell(text) ?? own.flatMap({ Cell("\(text)/\($0.count)") }) { return cell }
    let wanted =
      own.map { "a number from 0 to \($0.count - 1), because this is \($0.words)" }
      ?? "the number of a cell and of all cells such as 3/16, because this server is not a cell"
    throw AdminProblem(query: InputProblem("cell must be \(wanted).", field: "cell"))
  }

  /// The position of the first page.
  var start: World.TokenCursor { World.TokenCursor(device: devices?.first?.number ?? 0, skip: 0) }

  /// The position of a cursor's page.
  func start(at parts: [Int]) throws(AdminProblem) -> World.TokenCursor {
    let number = try DeviceRoutes.deviceNumber(parts[0])
    if let devices, !devices.contains(DeviceID(number)) { throw Query.unknownCursor }
    return World.TokenCursor(device: number, skip: parts[1])
  }

  /// The tokens from a position on, and where to continue.
  ///
  /// - Parameter most: maximum number of devices to look at.
  func page(
    _ world: World, from start: World.TokenCursor, limit: Int, most: UInt32, at now: Instant
  ) -> (tokens: [TokenView], next: World.TokenCursor?) {
    let page = world.tokens(
      filter, from: start, limit: limit, most: devices.map { UInt32($0.count) } ?? most, examining: BatchSize.shown,
      at: now)
    // Without this, the next page would begin with the next device.
    if let devices, let next = page.next, !devices.contains(DeviceID(next.device)) { return (page.tokens, nil) }
    return page
  }
}
