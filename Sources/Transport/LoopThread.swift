#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A thread that runs one closure.
package struct LoopThread {
  private let thread: pthread_t

  private final class Box {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// - Returns: nil if the system allows no more threads.
  package init?(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Box(body))
    #if canImport(Darwin)
      var made: pthread_t?
      let result = pthread_create(&made, nil, { LoopThread.run($0) }, box.toOpaque())
    #else
      var identity = pthread_t()
      let result = pthread_create(&identity, nil, { LoopThread.run($0) }, box.toOpaque())
      let made: pthread_t? = identity
    #endif
    guard result == 0, let made else {
      box.release()
      return nil
    }
    thread = made
  }

  /// Waits for the closure to return. Call either this or `detach`, once.
  package func join() { pthread_join(thread, nil) }

  /// True if the caller runs on this thread. Valid until `join` has returned.
  package var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }

  /// Lets the thread end by itself.
  package func detach() { pthread_detach(thread) }

  private static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
    return nil
  }
}
