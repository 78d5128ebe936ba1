import Timeline
import Transport
import WireFormats

/// The last broadcast of a run on its way to the phones, as the server reports it.
struct LoadReach: Sendable {
  /// Live Activities that subscribed when it was published.
  let subscribers: Int
  /// Seconds of the server's clock until the last of them had it; nil if the server no longer has its arrivals.
  let seconds: Double?

  /// Waits until the last accepted broadcast to a channel has reached every subscriber; nil if APNs accepted none.
  init?(_ channel: String, _ server: RunningServer) {
    var request = AdminAPI.Order("v1", "broadcasts")
    request.query = [("limit", "1000")]
    let rows = (try? server.api.perform(request).value)?["requests"]?.elements ?? []
    let last = rows.first {
      $0["channel"]?.string == channel && $0["operation"]?.string == "publish" && $0["status"]?.integer == 200
    }
    guard let last, let number = last["number"]?.integer, let count = last["subscribers"]?.integer else { return nil }
    subscribers = Int(clamping: count)
    let published = last["at"]?.string.flatMap { Instant(rfc3339: $0) }
    let arrived = count > 0 ? Arrivals(of: number).follow(server.api).flatMap { Instant(rfc3339: $0) } : nil
    seconds = if let published, let arrived { max(0, published.duration(to: arrived) / .seconds(1)) } else { nil }
  }

  init(subscribers: Int, seconds: Double?) { (self.subscribers, self.seconds) = (subscribers, seconds) }

  var words: String {
    let activities = "\(LoadWords.grouped(subscribers)) Live \(subscribers == 1 ? "Activity" : "Activities")"
    guard let seconds else { return "The last broadcast went to \(activities)." }
    return "The last broadcast reached \(activities), the last of them after"
      + " \(LoadWords.milliseconds(UInt64(seconds * 1e9)))."
  }

  var json: JSONValue {
    ["subscribers": .integer(Int64(subscribers)), "lastPhoneSeconds": seconds.map { .double($0) } ?? .null]
  }
}

/// The arrivals of a broadcast on phones, from the server's event stream.
private final class Arrivals {
  private let number: Int64
  private var reader = EventStreamReader()
  private var last: String?
  private let deadline = ContinuousClock.now + .seconds(30)

  /// The stream ends when nothing has happened for so long.
  private static let silence = Duration.seconds(1)

  init(of number: Int64) { self.number = number }

  /// Reads until nothing arrives any more.
  ///
  /// - Returns: the time of the last arrival, as the server writes it.
  func follow(_ server: AdminAPI) -> String? {
    var order = AdminAPI.Order("v1", "events")
    order.query = [("types", "broadcast"), ("after", "0")]
    var call = WebCall("GET", server.url + order.target, version: .http1)
    call.timeout = .zero
    call.mostSilence = Self.silence
    // The silence at the end is a failure of the call.
    _ = try? call.stream { self.take($0) }
    return last
  }

  private func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    for message in reader.read(bytes) {
      guard let value = try? JSONValue.parse(Array(message.data.utf8)) else { continue }
      for event in value["last"]?.elements ?? [value] where event["broadcast"]?.integer == number {
        last = event["at"]?.string ?? last
      }
    }
    return ContinuousClock.now < deadline
  }
}
