import Synchronization

/// A limit on how many clients of the admin API may do something at the same time. Thread-safe.
final class Seats: Sendable {
  let most: Int
  private let taken = Mutex(0)

  init(_ most: Int) { self.most = most }

  /// A seat, which is free again when it is released; nil if all are taken.
  func take() -> Seat? {
    taken.withLock { taken in
      guard taken < most else { return nil }
      taken += 1
      return Seat(of: self)
    }
  }

  fileprivate func leave() { taken.withLock { $0 -= 1 } }
}

/// A seat that is taken until it is released.
final class Seat: Sendable {
  private let seats: Seats

  fileprivate init(of seats: Seats) { self.seats = seats }

  deinit { seats.leave() }
}
