import APNs
import Devices
import Timeline
import WireFormats

/// The pushes, and the copies of broadcasts, that APNs has sent and that reach their phones later.
package struct PushesUnderway: Sendable {
  /// The token, or the subscribed activity, for which pushes are in order.
  struct Route: Hashable, Sendable {
    let device: DeviceID
    let app: Int
    let slot: TokenSlot

    init(_ address: Address) { (device, app, slot) = (address.device, address.app, address.slot) }

    init(_ subscriber: Subscriptions.Subscriber) {
      (device, app, slot) = (subscriber.device, subscriber.app, .update(activity: subscriber.activity))
    }
  }

  enum Item: Sendable {
    case push(ArrivingPush, Address)
    indirect case copy(Broadcast, SubscriberList.Entry)

    var route: Route {
      switch self {
      case .push(_, let address): Route(address)
      case .copy(_, let entry): Route(entry.subscriber)
      }
    }
  }

  /// Pushes of which a phone acknowledges one at a time.
  struct Scope: Hashable, Sendable {
    let device: DeviceID
    let app: Int
    /// Nil if all pushes to the app are of one scope.
    private let slot: TokenSlot?
    private let collapseID: [UInt8]?

    init(_ push: ArrivingPush, to address: Address, _ scope: PushStore.ReplacementScope) {
      (device, app) = (address.device, address.app)
      let isOfToken = scope == .token
      slot = isOfToken ? address.slot : nil
      collapseID = isOfToken ? push.collapseID.map { Array(push.request.storage[$0]) } : nil
    }
  }

  /// Maximum of what they use; beyond it, pushes arrive at once.
  private let mostBytes: Int
  /// Bytes charged for an item, besides those of its request. It approximates the real memory.
  static let bytesPerItem = 512

  private var bytes = 0
  /// Number of copies of each broadcast. Its request is there once for all of them.
  private var copies: [UInt64: Int] = [:]
  private var items: [UInt64: Item] = [:]
  /// The item of each route that waits for the next one to overtake it.
  private var overtaken: [Route: UInt64] = [:]
  /// The item of each scope that its phone has not acknowledged.
  private var unacknowledged: [Scope: UInt64] = [:]
  private var scopes: [UInt64: Scope] = [:]
  /// Time until a phone acknowledges a push; nil for none.
  let acknowledgement: ClosedRange<Duration>?
  private let scope: PushStore.ReplacementScope
  /// Number of items so far.
  private var departed: UInt64 = 0

  init(_ plan: PushStore.Plan) {
    mostBytes = plan.mostBytesUnderway
    acknowledgement = plan.acknowledgement.upperBound > .zero ? plan.acknowledgement : nil
    scope = plan.per
  }

  func hasRoom(for item: Item) -> Bool { bytes + cost(of: item) <= mostBytes }
  func hasRoom(for push: ArrivingPush) -> Bool { bytes + Self.cost(of: push) <= mostBytes }

  /// Bytes that an item takes when it is added, and frees when it is taken.
  private func cost(of item: Item) -> Int {
    switch item {
    case .push(let push, _): Self.cost(of: push)
    case .copy(let broadcast, _):
      copies[broadcast.push.number] == nil ? Self.cost(of: broadcast.push) : Self.bytesPerItem
    }
  }

  private static func cost(of push: ArrivingPush) -> Int { bytesPerItem + push.request.storage.count }

  /// Every delivery checks this.
  var hasOvertaken: Bool { !overtaken.isEmpty }

  func contains(_ number: UInt64) -> Bool { items[number] != nil }

  /// True if an item of the route waits for the next one to overtake it.
  func isOvertaken(_ route: Route) -> Bool { overtaken[route] != nil }

  /// - Returns: the number of the item.
  mutating func add(_ item: Item, isOvertaken: Bool) -> UInt64 {
    departed += 1
    bytes += cost(of: item)
    if case .copy(let broadcast, _) = item { copies[broadcast.push.number, default: 0] += 1 }
    items[departed] = item
    if isOvertaken { overtaken[item.route] = departed }
    return departed
  }

  /// The item arrives; nil if it has arrived already.
  mutating func take(_ number: UInt64) -> Item? {
    guard let item = items.removeValue(forKey: number) else { return nil }
    if overtaken[item.route] == number { overtaken[item.route] = nil }
    if let scope = scopes.removeValue(forKey: number) { unacknowledged[scope] = nil }
    if case .copy(let broadcast, _) = item {
      let others = copies[broadcast.push.number, default: 1] - 1
      copies[broadcast.push.number] = others > 0 ? others : nil
    }
    bytes -= cost(of: item)
    return item
  }

  /// Another push of the route has arrived: the item that it has overtaken follows it.
  mutating func takeOvertaken(_ route: Route) -> Item? { overtaken[route].flatMap { take($0) } }

  /// A newer push overwrites the one that its phone has not acknowledged.
  ///
  /// - Returns: the number of the older push; nil without one.
  mutating func overwrite(with push: ArrivingPush, to address: Address) -> UInt64? {
    guard let number = unacknowledged[Scope(push, to: address, scope)], case .push(let older, _)? = take(number) else {
      return nil
    }
    return older.number
  }

  /// - Returns: the number of the item.
  mutating func addUnacknowledged(_ push: ArrivingPush, to address: Address) -> UInt64 {
    let number = add(.push(push, address), isOvertaken: false)
    let scope = Scope(push, to: address, scope)
    unacknowledged[scope] = number
    scopes[number] = scope
    return number
  }

  #if PUSHPIT_CHECKS
    func problems(_ schedule: Schedule) -> [String] {
      var planned: Set<UInt64> = []
      for entry in schedule.agenda.heap { if case .arrival(_, let number) = entry.work { planned.insert(number) } }
      var found = items.keys.filter { !planned.contains($0) }.sorted().map { "Push \($0) on the way never arrives." }
      for (route, number) in overtaken where items[number]?.route != route {
        found.append("A push to \(route.device.text) waits to be overtaken, and is not on the way.")
      }
      for (scope, number) in unacknowledged where items[number] == nil || scopes[number] != scope {
        found.append("A push to \(scope.device.text) is not acknowledged, and not on the way.")
      }
      var charged = 0
      var broadcasts: [UInt64: Int] = [:]
      for item in items.values {
        switch item {
        case .push(let push, _): charged += Self.cost(of: push)
        case .copy(let broadcast, _):
          let isFirst =
            broadcasts.updateValue(
              broadcasts[broadcast.push.number, default: 0] + 1, forKey: broadcast.push.number) == nil
          charged += isFirst ? Self.cost(of: broadcast.push) : Self.bytesPerItem
        }
      }
      if charged != bytes || broadcasts != copies { found.append("\(bytes) bytes are charged for \(charged).") }
      if scopes.count != unacknowledged.count { found.append("\(scopes.count) pushes are not acknowledged.") }
      return found
    }
  #endif
}
