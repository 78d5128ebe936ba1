import Reporting
import Timeline

/// The queue of what apps do when calls end. Consequences are appended, so nothing here is recursive.
struct AppTurns: Sendable {
  enum Turn: Sendable {
    /// An app reacts to the end of one of its calls.
    case react(AppAction, AppContext)
    /// A call of the app may be sent.
    case send(AppContext)
  }

  /// In the order of their occurrence.
  private var queue: [Turn] = []
  /// Index of the next turn while the queue is processed; nil otherwise.
  private var next: Int?
  /// Number of reactions in the current second, by app and phone.
  private var reactionCounts: [UInt64: Int] = [:]
  private var countedSecond: Int64 = 0

  /// Number of turns left; nil if the queue is empty and nobody processes it.
  var left: Int? { next == nil && queue.isEmpty ? nil : queue.count - (next ?? 0) }

  mutating func append(_ turn: Turn) { queue.append(turn) }

  /// Begins to process the queue.
  ///
  /// - Returns: false if the queue is processed already, which then includes what was appended.
  mutating func begin() -> Bool {
    guard next == nil else { return false }
    next = 0
    return true
  }

  /// The next turn; nil ends the processing.
  mutating func takeNext() -> Turn? {
    guard let index = next, index < queue.count else {
      queue.removeAll(keepingCapacity: true)
      next = nil
      return nil
    }
    next = index + 1
    return queue[index]
  }

  /// - Returns: the number of the reaction among those of its app, phone and second, from 1.
  mutating func countReaction(_ moment: AppContext) -> Int {
    if moment.now.seconds != countedSecond {
      countedSecond = moment.now.seconds
      reactionCounts.removeAll(keepingCapacity: true)
    }
    let key = ReportRegistry.key(moment.device, moment.app)
    let count = reactionCounts[key, default: 0] + 1
    reactionCounts[key] = count
    return count
  }
}
