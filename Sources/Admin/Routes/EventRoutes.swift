import APNs
import Devices
import Grammar
import Scenarios
import Simulation
import WireFormats

/// The event stream.
enum EventRoutes {
  static let parameters = ["types", "device", "app", "session", "fate", "after"]

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
    return try context.query.read { (fields) throws(InputProblem) in
      try fields.whole("after", 0...Int.max).map { UInt64($0) }
    }
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
        fleet.contains(device) ? fleet.foreignCellSentence(device) : DeviceRoutes.unknown(device.text, fleet)
      if let sentence { throw AdminProblem(query: InputProblem(sentence, field: "device")) }
    }
    var filter = ViewerFilter(said, apps: known)
    try readTypes(query, into: &filter)
    if let name = try query.text("session") {
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
    guard let text = try query.text("types") else { return }
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
