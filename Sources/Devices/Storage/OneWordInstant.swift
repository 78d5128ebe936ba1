import Timeline

/// An optional instant in eight bytes. An `Instant?` takes nine, which alignment rounds up to sixteen.
@propertyWrapper package struct OneWordInstant: Hashable, Sendable {
  /// `Instant.distantPast` is a valid value, so nil is stored as the nanosecond after it.
  private static let none = Int64.min + 1

  private var nanoseconds = OneWordInstant.none

  package init() {}
  package init(wrappedValue: Instant?) { self.wrappedValue = wrappedValue }

  package var wrappedValue: Instant? {
    get { nanoseconds == Self.none ? nil : Instant(nanoseconds: nanoseconds) }
    set { nanoseconds = newValue.map { $0.nanoseconds == Self.none ? .min : $0.nanoseconds } ?? Self.none }
  }
}
