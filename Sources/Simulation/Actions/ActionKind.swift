import APNs
import Devices
import Grammar
import Timeline
import WireFormats

/// A kind of action on a device. One place has everything about it: its word and its members with their sentences for
/// documents, how it is read and written, what it does, and what reverts it.
protocol ActionKind: Hashable, Sendable {
  static var shape: ActionShape<Self> { get }
  /// The action that reverts this one; nil if there is no obvious one.
  var opposite: DeviceAction? { get }

  /// A value before it is read.
  init()

  /// Carries the action out, or throws the reason why that is not possible; then nothing has changed.
  func perform(on device: DeviceID, in state: inout DeviceState, at now: Instant) throws(CommandProblem)
}

/// The description of a kind of action.
struct ActionShape<Kind: ActionKind>: Sendable {
  fileprivate let word: String
  fileprivate let title: String
  fileprivate let meaning: String?
  fileprivate let members: Shape<Kind>

  /// - Parameters:
  ///   - word: as in `do`.
  ///   - title: an order, such as `Delete an app`.
  ///   - meaning: sentences about what is not obvious.
  init(_ word: String, _ title: String, meaning: String? = nil, members: [Shape<Kind>.Member] = []) {
    self.word = word
    self.title = title
    self.meaning = meaning
    self.members = Shape(members: members)
  }
}

extension ActionKind {
  var opposite: DeviceAction? { nil }

  static var word: String { shape.word }
  /// The members besides `do`.
  static var members: [Schema.Member] { shape.members.members.map(\.described) }
  static var types: [(name: String, type: ValueType)] { shape.members.type.members }

  static var schema: Schema {
    let head = ["title": .string(shape.title)] as JSONValue
    let schema = Schema.object([.init("do", .constant(word))] + members).with(head)
    return shape.meaning.map { schema.meaning($0) } ?? schema
  }

  static func read(_ fields: Fields) throws(InputProblem) -> DeviceAction {
    var kind = Self()
    try shape.members.read(fields, into: &kind)
    return DeviceAction(kind)
  }

  /// The form that `read` reads. The app and the activity come first.
  var json: JSONValue {
    let members = Self.shape.members.written(self)
    let names = ["app", "activity"]
    let (first, others) = (members.filter { names.contains($0.key) }, members.filter { !names.contains($0.key) })
    return .object([.init("do", .string(Self.word))] + first + others)
  }
}

/// An action on a phone. Apps are named by bundle id, activities by their ids; both may be left out if the device has
/// only one.
protocol PhoneActionKind: ActionKind {
  /// The operation of the phone, if it is possible.
  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation

  /// The reason why the phone could not do it.
  func rejection(on device: DeviceID, in fleet: Fleet) -> CommandProblem
}

enum PhoneOperation {
  case done((inout Phone, inout PhoneTurn) -> Void)
  /// An operation that returns false if the phone could not do it.
  case tried((inout Phone, inout PhoneTurn) -> Bool)
}

extension PhoneActionKind {
  func perform(on device: DeviceID, in state: inout DeviceState, at now: Instant) throws(CommandProblem) {
    switch try operation(on: device, in: state.fleet, at: now) {
    case .done(let act): state.ask(device, at: now, act)
    case .tried(let act):
      guard state.ask(device, at: now, act) else { throw rejection(on: device, in: state.fleet) }
    }
  }

  func rejection(on device: DeviceID, in fleet: Fleet) -> CommandProblem {
    CommandProblem(.impossible, field: "do", sentence: "\(device.text) cannot do that.")
  }
}

/// An action on an app.
protocol AppActionKind: ActionKind {
  var app: String? { get set }
}

/// An action on a Live Activity.
protocol ActivityActionKind: AppActionKind {
  var activity: String? { get set }
}

extension Shape.Member where Row: AppActionKind {
  static var app: Self { .maybe("app", at: \.app, as: .text(as: .bundleID)) }
}

extension Shape.Member where Row: ActivityActionKind {
  static var activity: Self { .maybe("activity", at: \.activity, as: .text(as: .activityID)) }
}
