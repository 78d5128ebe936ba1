import WireFormats

/// The payload of an update or end of Live Activities that many phones receive: read once, for each type of activity
/// that its app has.
package final class SharedActivityPayload: Sendable {
  let event: ActivityPayload.Event
  private let readings: [ActivityReading]
  private let decoders: [ContentDecoder?]
  private let bodyCount: Int
  /// Bytes of the content state as compact JSON.
  private let contentCount: Int

  /// - Returns: nil where the payload is no update and no end. Each phone then reads it, and says what is wrong.
  package init?(_ request: HTTPRequest, to app: AppProfile) {
    let decoders = [nil] + app.types.map { $0.contentState }
    let storage = request.storage
    let read = try? JSONNode.read(storage.span, request.bodyStart..<storage.count) {
      root -> (ActivityPayload.Event, [ActivityReading], Int)? in
      guard let payload = ActivityPayload(root), let event = payload.event, event != .start else { return nil }
      let readings = decoders.map { ActivityReading(payload, event, request, as: $0, beside: 0) }
      return (event, readings, payload.contentState?.whole.text.utf8.count ?? 0)
    }
    guard let (event, readings, contentCount) = read ?? nil else { return nil }
    self.event = event
    self.readings = readings
    self.decoders = decoders
    self.contentCount = contentCount
    bodyCount = request.bodyCount
  }

  /// What it says where the type of the activity is not known.
  var readingWithoutType: ActivityReading { readings[0] }

  /// What it says to an activity; nil where the type of the activity is none that its app had from the beginning.
  func reading(as decoder: ContentDecoder?, beside attributes: Int) -> ActivityReading? {
    guard let place = decoders.firstIndex(where: { $0 === decoder }) else { return nil }
    var reading = readings[place]
    reading.fits = ActivityReading.fits(attributes, body: bodyCount) { contentCount }
    return reading
  }
}
