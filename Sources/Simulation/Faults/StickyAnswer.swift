import APNs

/// What every push on a connection is answered from then on, or every push of a session on it.
struct StickyAnswer: Sendable {
  let reason: RejectionReason
  let session: String?
  let scope: SessionScope?
}
