import APNs
import Devices
import Grammar
import Scenarios
import Simulation
import WireFormats

/// The event stream.
enum EventRoutes {
  static let routes: [Route] = [
    Route(
      "GET /v1/events", id: "streamEvents", tag: .ledger, summary: "what happens, as a stream of server-sent events",
      answer: stream
    )
    .meaning(
      """
      The answer has no end. Events of the stream are `begin` (where it begins, and a `run` that differs after
      a restart of the server), `push` (`sentence` explains a rejection), `fate` (a push that was stored or
      deferred has another fate), `answer` (what was sent for a push after it was decided: `sent`, and as
      words in `answer`), `broadcast`, `call` (an app called its backend), `phone` (anything else on a phone),
      `gap` (events `from` and `to` are no longer kept; with `restarted`, the numbers have restarted) and
      `many`.

      `id` is the number of an event, one sequence for all of them. A client continues after a break with the
      header `Last-Event-ID`, as browsers do, or with `after`; the events between are sent if the ledger keeps
      them.

      A viewer gets at most 20 messages in any second. If more has happened, it gets `many`, at most 5 times a
      second: `count` of all events, `pushes` among them, and the `last` 20. After 15 seconds without a
      message, a comment line is sent. A client that reads nothing for 15 seconds is disconnected. At most 16
      viewers can watch; further ones are answered 503.
      """
    )
    .takes(
      types(
        """
        One or more of push, fate, answer, broadcast, call, phone, or names of events on phones, separated by
        commas.
        """, example: "push,activityStarted"),
      .filter("device", "Only events of this device."),
      .filter("app", "Only events of this app.", example: "com.example.app"),
      .session("Only events of this open session."),
      .filter(
        "fate", "Only pushes and broadcasts with this fate, in the words of Apple's console.",
        example: "Stored - Device Offline"),
      after("Begin after the event with this number. Default: with the next event."),
      RouteParameter("Last-Event-ID", in: .header, .whole, meaning: "The same as `after`, as browsers send it.")
    )
    .answers(
      Answer(200, "The stream.", as: [.text("text/event-stream")]),
      .notFound,
      .error(409, "The session is closed."),
      .forgotten,
      .tooManyViewers)
  ]

  private static let types = Parameter("types", as: .text)
  private static let after = Parameter<Int>("after", .whole) { (fields, name) throws(InputProblem) in
    try fields.whole(name, 0...Int.max)
  }

  /// The answer has no end: the shell asks the viewer for what comes next.
  static func stream(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let filter = try filter(context.query, simulator)
    let viewer = EventViewer(filter, after: try place(context))
    return .response {
      var response = AdminResponse(status: 200, contentType: "text/event-stream", body: [])
      response.viewer = viewer
      return response
    }
  }

  /// Returns the number of the last event that the client has received, which a browser sends when it connects again.
  private static func place(_ context: AdminContext) throws(AdminProblem) -> UInt64? {
    if let text = context.request.values(of: "last-event-id").first {
      guard let number = Digits.read(text) else {
        throw AdminProblem(400, "Last-Event-ID must be the id of an event, a whole number.", field: "last-event-id")
      }
      return UInt64(number)
    }
    return try context.query.value(after).map { UInt64($0) }
  }

  /// Filters are read like those of lists. An app or a device that the fleet does not have is rejected, because the
  /// stream would be silent forever.
  private static func filter(_ query: Query, _ simulator: Simulator) throws(AdminProblem) -> ViewerFilter {
    let said = try query.filter()
    let known = simulator.world.names.apps.map(\.bundleID)
    if let app = said.app, !known.contains(app) {
      throw AdminProblem(
        400,
        "The fleet has no app \(Wording.quoted(app)): it has \(Wording.list(known))"
          + Wording.suggestion(for: app, among: known), field: "app")
    }
    let fleet = simulator.world.fleet
    for device in said.devices ?? [] {
      let sentence =
        fleet.contains(device) ? fleet.foreignCellSentence(device) : fleet.unknown("device", device.text)
      if let sentence { throw AdminProblem(query: InputProblem(sentence, field: "device")) }
    }
    var filter = ViewerFilter(said, apps: known)
    try readTypes(query, into: &filter)
    if let name = try query.value(Parameters.session) {
      guard try SessionRoutes.session(name, simulator).isOpen else {
        throw AdminProblem(
          409, "The session \(name) is closed: it gets no more events. GET /v1/pushes?session= lists its pushes.",
          field: "session")
      }
      filter.session = name
    }
    return filter
  }

  private static func readTypes(_ query: Query, into filter: inout ViewerFilter) throws(AdminProblem) {
    guard let text = try query.value(types) else { return }
    filter.kinds = []
    let known = ViewerFilter.Kind.allCases.map(\.rawValue) + DeviceEvent.names
    for word in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      if let kind = ViewerFilter.Kind(rawValue: word) {
        filter.kinds?.insert(kind)
      } else if DeviceEvent.names.contains(word) {
        filter.names.insert(word)
      } else {
        let kinds = ViewerFilter.Kind.allCases.map(\.rawValue)
        throw AdminProblem(
          400,
          "The parameter types must be a list of \(Wording.list(kinds)), or names of events on phones, separated by"
            + " commas, not \(Wording.quoted(text))" + Wording.suggestion(for: word, among: known), field: "types")
      }
    }
  }
}
