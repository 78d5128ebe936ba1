import CLibevent
import Timeline

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One event of libevent and the closure it calls: timers, signals, knocks on a mailbox, sockets of outgoing calls.
///
/// It lives on its loop's thread and ends with its last reference.
final class LoopEvent {
  private var event: OpaquePointer?
  private let action: () -> Void

  /// `descriptor` is a signal number when `events` has EV_SIGNAL, a socket's when it has EV_READ or EV_WRITE, otherwise
  /// -1.
  init(on base: OpaquePointer, descriptor: Int32 = -1, events: Int32 = 0, _ action: @escaping () -> Void) {
    self.action = action
    event = event_new(base, descriptor, Int16(events), happened, Unmanaged.passUnretained(self).toOpaque())
    precondition(event != nil, "libevent makes an event unless memory is out")
  }

  deinit { event_free(event) }

  /// Waits for it to happen, at most for `timeout`.
  func add(timeout: Duration? = nil) {
    guard let timeout else {
      event_add(event, nil)
      return
    }
    var time = timeval(timeout)
    event_add(event, &time)
  }

  func cancel() { event_del(event) }

  /// Makes it happen in this turn or the next.
  func activate() { event_active(event, Int32(EV_TIMEOUT), 0) }

  /// The event's address, for a mailbox that other threads knock on.
  var address: UInt { UInt(bitPattern: event) }

  fileprivate func act() { action() }
}

// Takes a reference for the call: the action may drop the last one.
private let happened: event_callback_fn = { _, _, context in
  guard let context else { return }
  Unmanaged<LoopEvent>.fromOpaque(context).takeUnretainedValue().act()
}
