import Devices
import Timeline
import WireFormats

/// A phone that is given notifications as text: one sound thing of each kind, for tests to spoil.
struct NotificationPhone {
  static let began = Instant(seconds: 1_700_000_000)
  static let strings = StringTable([
    .init("en", [.init("WICKET", "Wicket! %@ out for %@"), .init("ONLY", "only here"), .init("TITLE", "%2$@ v %1$@")]),
    .init("de", [.init("WICKET", "Aus! %2$@ für %1$@")]),
  ])

  var list = NotificationList()
  var here = NotificationContext()

  init() {
    here.strings = Self.strings
    here.sounds = ["cheer.caf"]
  }

  /// - Throws: `JSONProblem` when the text is no JSON.
  static func payload(_ text: String) throws(JSONProblem) -> NotificationPayload {
    try JSONNode.read(Array(text.utf8)) { NotificationPayload($0) }
  }

  /// The payload of an `aps` with these members.
  static func aps(_ members: String) throws(JSONProblem) -> NotificationPayload {
    try payload(#"{"aps":{\#(members)}}"#)
  }

  static func body(_ members: String) -> [UInt8] { Array(#"{"aps":{\#(members)}}"#.utf8) }

  /// The texts of the notifications in the list, from the top.
  var texts: [ShownNotification.Text] { list.shown.map { $0.text(here.strings, in: here.language) } }

  /// A push with these members in its `aps` arrives.
  mutating func receive(
    _ members: String, collapseID: String? = nil, at now: Instant = began
  ) throws(JSONProblem) -> Presentation {
    list.receive(try Self.aps(members), body: Self.body(members)[...], collapseID: collapseID, in: here, at: now)
  }
}
