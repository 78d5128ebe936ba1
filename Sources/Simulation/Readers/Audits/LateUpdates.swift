import APNs
import Timeline
import WireFormats

/// Rejected updates of one activity, and the updates accepted after them. Finds an old state that is pushed again with
/// a new timestamp and replaces a newer state.
struct LateUpdates: Sendable {
  private struct Late: Sendable {
    let id: NotificationID
    let content: UInt64
    let at: Instant
    /// True if a newer state has been applied since.
    var isOvertaken = false
  }

  private static let most = 8
  /// Assumed: the same content after a longer time is a state that occurred again.
  private static let within: Duration = .seconds(60)

  private var late: [Late] = []

  var isEmpty: Bool { late.isEmpty }

  mutating func refused(_ record: PushRecord, content: UInt64) {
    late.removeAll { $0.id == record.answer.id }
    late.append(Late(id: record.answer.id, content: content, at: record.at.world))
    if late.count > Self.most { late.removeFirst() }
  }

  /// An update was applied.
  ///
  /// - Returns: whether it is an old state, applied after a newer one.
  mutating func applied(_ record: PushRecord, content: UInt64) -> Bool {
    let now = record.at.world
    let again = late.firstIndex { entry in
      entry.content == content && (entry.id == record.answer.id || now <= entry.at.advanced(by: Self.within))
    }
    let isOld = again.map { late[$0].isOvertaken } ?? false
    if let again { late.remove(at: again) }
    for index in late.indices where late[index].content != content { late[index].isOvertaken = true }
    return isOld
  }
}
