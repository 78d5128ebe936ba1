/// What a push was dropped for, beside the cause. It is put into words where somebody reads them: a load test drops a
/// million pushes, and nobody reads why.
package enum DropDetail: Hashable, Sendable {
  case words(String)
  /// Seconds since 1970; and the push that the newest came with, where it was one.
  indirect case stale(Double, after: Double, of: UInt64?)

  package var text: String {
    switch self {
    case .words(let text): text
    case .stale(let timestamp, let newest, let push): Timestamps.stale(timestamp, after: newest, of: push)
    }
  }
}
