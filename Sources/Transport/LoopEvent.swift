import CLibevent
import Timeline

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An event of libevent and its closure: timers, signals, wake-ups of a mailbox, sockets of outgoing calls.
///
/// Used only on its loop's thread; ends with its last reference.
final class LoopEvent {
  private var event: OpaquePointer?
  private let action: () -> Void

  /// `descriptor` is a signal number with EV_SIGNAL, a socket with EV_READ or EV_WRITE, and -1 otherwise.
  init(on base: OpaquePointer, descriptor: Int32 = -1, events: Int32 = 0, _ action: @escaping () -> Void) {
    self.action = action
    event = event_new(base, descriptor, Int16(events), happened, Unmanaged.passUnretained(self).toOpaque())
    precondition(event != nil, "libevent fails only without memory")
  }

  deinit { event_free(event) }

  /// Waits for the event, at most for `timeout`.
  func add(timeout: Duration? = nil) {
    guard let timeout else {
      event_add(event, nil)
      return
    }
    var time = timeval(timeout)
    event_add(event, &time)
  }

  /// True if a timeout was added that has not passed.
  var isPending: Bool { event_pending(event, Int16(EV_TIMEOUT), nil) != 0 }

  func cancel() { event_del(event) }

  /// Triggers the event in this turn or the next.
  func activate() { event_active(event, Int32(EV_TIMEOUT), 0) }

  /// The event's address, so that other threads can wake up a mailbox.
  var address: UInt { UInt(bitPattern: event) }

  fileprivate func act() { action() }
}

// Holds a reference during the call, because the action may release the last one.
private let happened: event_callback_fn = { _, _, context in
  guard let context else { return }
  Unmanaged<LoopEvent>.fromOpaque(context).takeUnretainedValue().act()
}
