import APNs
import Devices
import Timeline
import WireFormats

/// The screens that a provider expects phones to show, because APNs answered 200: a reader of events.
///
/// One entry per activity and per channel: the last accepted push, whatever its timestamp. A backend relies on what it
/// has sent; that phones go by timestamps is what it may have overlooked.
struct ExpectedScreens: Sendable {
  struct Activity: Hashable, Sendable {
    let device: DeviceID
    let app: Int
    let number: UInt32
  }

  struct ChannelKey: Hashable, Sendable {
    let home: ChannelOwner
    let id: String
  }

  /// The last accepted push.
  struct Accepted: Sendable {
    /// Nil once the activity has ended: its content is no longer compared.
    fileprivate(set) var request: HTTPRequest?
    let at: Instant
    let isEnd: Bool
    /// The push; nil for a broadcast, and once the activity has ended.
    fileprivate(set) var record: PushRecord?

    var content: JSONValue? {
      guard let request else { return nil }
      let storage = request.storage
      let read = try? JSONNode.read(storage.span, in: request.bodyStart..<storage.count) {
        $0["aps"]?["content-state"]?.whole
      }
      return read ?? nil
    }
  }

  private(set) var activities: [Activity: Accepted] = [:]
  /// The last broadcast of a channel. Channels that were not broadcast to for longest are forgotten.
  private(set) var channels = RecentTable<ChannelKey, Accepted>(most: 10_000)
  /// The numbers of the activities of an app on a device, in the order in which they were first pushed to.
  private var numbers: [ReportedTokens.AppOnDevice: [UInt32]] = [:]
  /// Starts whose activity is not known yet, by push number.
  private var starting = NumberTable<PushRecord>()
  /// Accepted by APNs, but the provider has not received the answer: a fault delays or loses it.
  private var unheard: [StreamID: PushRecord] = [:]

  mutating func read(_ event: WorldEvent) {
    switch event {
    case .push(let record) where record.answer.status == 200 && record.isAnsweredApart:
      expect(record)
    case .push(let record) where record.answer.status == 200: handle(record, record.firstFate)
    case .wire(let connection, .respond(let stream, let response)):
      guard let record = unheard.removeValue(forKey: StreamID(connection, stream)) else { return }
      if response.status == 200 { handle(record, record.firstFate) }
    case .connectionClosed(let connection): unheard = unheard.filter { $0.key.connection != connection }
    case .pushSettled(let number, _, let fate, _):
      guard let record = starting.removeValue(forKey: number) else { return }
      begun(record, fate)
    case .channels(let record)
    where record.operation == .publish && record.answer.status == 200 && !record.isAnsweredApart:
      handle(record)
    case .phone(let device, let app?, .activityEnded(let number, _), _):
      ended(Activity(device: device, app: app, number: number))
    default: break
    }
  }

  /// Maximum number of answers that a provider may still be waiting for; beyond it, the oldest count as lost.
  static let mostUnheard = 10_000

  var unheardCount: Int { unheard.count }

  private mutating func expect(_ record: PushRecord) {
    if unheard.count >= 2 * Self.mostUnheard {
      let oldest = unheard.values.map(\.sequence).sorted()[Self.mostUnheard]
      unheard = unheard.filter { $0.value.sequence >= oldest }
    }
    unheard[record.stream] = record
  }

  private mutating func handle(_ record: PushRecord, _ fate: Fate) {
    guard let address = record.address else { return }
    switch address.slot {
    case .update(let number):
      update(record, Activity(device: address.device, app: address.app, number: number))
    case .pushToStart: begun(record, fate)
    case .app, .service: break
    }
  }

  private mutating func begun(_ record: PushRecord, _ fate: Fate) {
    guard let address = record.address else { return }
    if case .started(let number, _)? = fate.reaction {
      update(record, Activity(device: address.device, app: address.app, number: number))
    } else if !fate.isFinal {
      starting[record.sequence] = record
    }
  }

  private mutating func update(_ record: PushRecord, _ activity: Activity) {
    guard let told = Self.told(record.push.request, at: record.at.world, record: record) else { return }
    // A delayed answer arrives after the answers of later pushes.
    if let known = activities[activity]?.record, known.sequence > record.sequence { return }
    if activities.updateValue(told, forKey: activity) == nil { note(activity) }
  }

  /// An activity that nobody but the person or the system has ended is not compared.
  private mutating func ended(_ activity: Activity) {
    guard let told = activities[activity], told.isEnd else { return forget(activity) }
    activities[activity]?.request = nil
    activities[activity]?.record = nil
  }

  /// A phone remembers a few activities of an app, and no others are compared.
  private mutating func note(_ activity: Activity) {
    let place = ReportedTokens.AppOnDevice(device: activity.device, app: activity.app)
    numbers[place, default: []].append(activity.number)
    guard let known = numbers[place], known.count > 2 * Install.activitiesRemembered else { return }
    let ended = known.first { number in
      activities[Activity(device: activity.device, app: activity.app, number: number)]?.request == nil
    }
    forget(Activity(device: activity.device, app: activity.app, number: ended ?? known[0]))
  }

  private mutating func forget(_ activity: Activity) {
    guard activities.removeValue(forKey: activity) != nil else { return }
    let place = ReportedTokens.AppOnDevice(device: activity.device, app: activity.app)
    numbers[place]?.removeAll { $0 == activity.number }
    if numbers[place]?.isEmpty ?? false { numbers[place] = nil }
  }

  private mutating func handle(_ record: ChannelRecord) {
    guard let id = record.channelID, let told = Self.told(record.request, at: record.at.world, record: nil) else {
      return
    }
    channels[ChannelKey(home: record.home, id: id.text)] = told
  }

  private static func told(_ request: HTTPRequest, at: Instant, record: PushRecord?) -> Accepted? {
    let storage = request.storage
    let read = try? JSONNode.read(storage.span, in: request.bodyStart..<storage.count) {
      $0["aps"].map { $0["event"]?.isString("end") ?? false }
    }
    guard let isEnd = read ?? nil else { return nil }
    return Accepted(request: request, at: at, isEnd: isEnd, record: record)
  }
}
