import CLibevent
import Synchronization

/// Letters from any thread to the loop that reads them.
package final class Mailbox<Letter: Sendable>: Sendable {
  private struct Box {
    var letters: [Letter] = []
    /// Address of the reader's event; 0 while nobody reads. Used under the lock only, so it cannot be freed while
    /// somebody knocks.
    var bell: UInt = 0
    var closed = false
  }

  private let box = Mutex(Box())
  /// Letters that were taken out and are not read yet; written by the reader's thread only.
  fileprivate let unread = Atomic(0)

  package init() {}

  /// - Returns: false when the reader is gone; the letter is then dropped.
  @discardableResult
  package func post(_ letter: Letter) -> Bool {
    box.withLock { box in
      guard !box.closed else { return false }
      box.letters.append(letter)
      // One knock for many letters: the reader takes them all.
      if box.letters.count == 1, let event = OpaquePointer(bitPattern: box.bell) {
        event_active(event, Int32(EV_TIMEOUT), 0)
      }
      return true
    }
  }

  /// Whether all letters have been read, or are being read; for the reader's thread.
  package var isEmpty: Bool { unread.load(ordering: .relaxed) == 0 && box.withLock { $0.letters.isEmpty } }

  fileprivate func attach(bell: UInt) {
    box.withLock { box in
      box.bell = bell
      if !box.letters.isEmpty, let event = OpaquePointer(bitPattern: bell) {
        event_active(event, Int32(EV_TIMEOUT), 0)
      }
    }
  }

  /// - Returns: the letters that nobody has read.
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
      return letters
    }
  }
}

/// The reading end of a mailbox; it lives on its loop's thread.
package final class MailboxReader<Letter: Sendable> {
  private let mailbox: Mailbox<Letter>
  private let bell: LoopEvent
  private let refuse: (Letter) -> Void

  /// - Parameter refuse: is given the letters that are unread when the reader goes.
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
    }
    mailbox.attach(bell: bell.address)
  }

  deinit { for letter in mailbox.detach() { refuse(letter) } }
}
