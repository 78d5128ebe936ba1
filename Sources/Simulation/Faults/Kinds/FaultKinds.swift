import Grammar

/// Every kind of fault, in the order in which they are listed.
package enum FaultKinds {
  package static let all: [any FaultKind.Type] = [
    RejectionFault.self, DelayFault.self, SilenceFault.self, LossFault.self, ArrivalFault.self, AnswerLossFault.self,
    ResetFault.self, MalformedAnswerFault.self, MissingIDFault.self, GoAwayFault.self, StreamLimitFault.self,
    WindowFault.self,
    FreezeFault.self, CloseFault.self, HalfCloseFault.self, AbortFault.self, RejectAllFault.self,
    SlowReadingFault.self, ClockOffsetFault.self, DeviceFault.self, PromptFault.self, ReportFault.self,
    ListenerFault.self,
  ]

  /// The schema of `then`.
  package static let schema = Schema.either(all.map { $0.schema })
    .named("Consequence", "What goes wrong, with its details; docs/faults.md describes each.")
}
