import APNs
import Simulation
import Timeline
import WireFormats

/// A broadcast, with what oracles ask about it read once.
struct WitnessedBroadcast: Sendable {
  let record: ChannelRecord
  let channel: String
  /// `aps` of its payload.
  private let aps: JSONValue?

  /// Nil for other requests about channels.
  init?(_ record: ChannelRecord) {
    guard record.operation == .publish, let channel = record.channelID else { return nil }
    self.record = record
    self.channel = channel.text
    let request = record.request
    let read = try? JSONNode.read(request.storage.span, in: request.bodyStart..<request.storage.count) {
      $0["aps"]?.whole
    }
    aps = read ?? nil
  }

  var at: Instant { record.at.world }
  var content: JSONValue? { aps?["content-state"] }
  var isEnd: Bool { aps?["event"]?.string == "end" }
  private var status: Int { record.answer.status }

  /// True if APNs took it and the backend may know that.
  var mayBeTaken: Bool {
    guard status == 200 else { return false }
    return switch record.sent {
    case nil, .answer, .malformed, .incomplete, .pending: true
    case .reset, .nothing: false
    }
  }

  /// The clause about a broadcast that a backend has to care for; nil if it was taken, or refused for good.
  var trouble: String? {
    if let sent = record.sent, sent != .answer(status: status) { return "whose answer was lost" }
    return status == 429 || status >= 500 ? "that was answered \(status)" : nil
  }

  /// Words for an example.
  func words(since began: Instant) -> String {
    "a broadcast at \(DurationText.write(began.duration(to: at))), \(status)"
      + (record.answer.rejection.map { " \($0.reason.rawValue)" } ?? "")
      + (record.sent.map { ", \($0.words)" } ?? "")
  }
}
