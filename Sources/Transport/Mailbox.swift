import CLibevent
import Synchronization

/// Messages from any thread to the loop that reads them.
package final class Mailbox<Letter: Sendable>: Sendable {
  private struct Box {
    var letters: [Letter] = []
    /// Address of the reader's event; 0 without a reader. Used only under the lock, so it cannot be freed while a
    /// sender uses it.
    var bell: UInt = 0
    /// True while the reader reads, or will read in the loop's next turn. Nobody rings meanwhile: libevent runs active
    /// events until none is left, so a bell that rang all the time would keep the loop from its timers and sockets.
    var isReading = false
    var closed = false

    func ring() {
      if let event = OpaquePointer(bitPattern: bell) { event_active(event, Int32(EV_TIMEOUT), 0) }
    }

    /// Rings in the loop's next turn, after its timers and sockets.
    func ringNextTurn() {
      guard let event = OpaquePointer(bitPattern: bell) else { return }
      var now = timeval()
      event_add(event, &now)
    }
  }

  private let box = Mutex(Box())
  /// Messages taken but not yet processed; written only by the reader's thread.
  fileprivate let unread = Atomic(0)

  package init() {}

  /// - Returns: false if there is no reader any more; then the message is dropped.
  @discardableResult
  package func post(_ letter: Letter) -> Bool {
    box.withLock { box in
      guard !box.closed else { return false }
      box.letters.append(letter)
      // One wake-up for many messages, because the reader takes all of them.
      if box.letters.count == 1, !box.isReading { box.ring() }
      return true
    }
  }

  /// True if all messages were read, or are being read; for the reader's thread.
  package var isEmpty: Bool { unread.load(ordering: .relaxed) == 0 && box.withLock { $0.letters.isEmpty } }

  fileprivate func attach(bell: UInt) {
    box.withLock { box in
      box.bell = bell
      if !box.letters.isEmpty { box.ring() }
    }
  }

  /// - Returns: the unread messages.
  fileprivate func detach() -> [Letter] {
    box.withLock { box in
      box.bell = 0
      box.closed = true
      defer { box.letters = [] }
      return box.letters
    }
  }

  fileprivate func take() -> [Letter] {
    box.withLock { box in
      let letters = box.letters
      box.letters = []
      box.isReading = true
      return letters
    }
  }

  /// Everything that was taken has been read.
  fileprivate func pause() {
    box.withLock { box in
      box.isReading = !box.letters.isEmpty
      if box.isReading { box.ringNextTurn() }
    }
  }
}

/// The reading end of a mailbox; used on its loop's thread.
package final class MailboxReader<Letter: Sendable> {
  private let mailbox: Mailbox<Letter>
  private let bell: LoopEvent
  private let refuse: (Letter) -> Void

  /// - Parameter refuse: receives the unread messages when the reader is released.
  package init(
    _ mailbox: Mailbox<Letter>, on base: OpaquePointer, refuse: @escaping (Letter) -> Void = { _ in },
    _ read: @escaping (Letter) -> Void
  ) {
    self.mailbox = mailbox
    self.refuse = refuse
    bell = LoopEvent(on: base) {
      let letters = mailbox.take()
      for index in letters.indices {
        mailbox.unread.store(letters.count - index - 1, ordering: .relaxed)
        read(letters[index])
      }
      mailbox.pause()
    }
    mailbox.attach(bell: bell.address)
  }

  deinit { for letter in mailbox.detach() { refuse(letter) } }
}
