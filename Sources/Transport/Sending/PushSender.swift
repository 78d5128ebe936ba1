import Synchronization

/// The progress of a load run; written by the run's loops.
final class SendingProgress: Sendable {
  private let answeredCount = Atomic<UInt64>(0)
  private let soundCount = Atomic<UInt64>(0)

  func set(answered: UInt64, sound: UInt64) {
    answeredCount.store(answered, ordering: .relaxed)
    soundCount.store(sound, ordering: .relaxed)
  }

  var answered: UInt64 { answeredCount.load(ordering: .relaxed) }
  var sound: UInt64 { soundCount.load(ordering: .relaxed) }
}

/// A load run: sends the pushes of an order on threads of its own.
package final class PushSender: Sendable {
  private let mailboxes: [Mailbox<SendingLoop.Letter>]
  private let progress: [SendingProgress]

  /// Starts the run.
  ///
  /// - Parameter ended: called once for each thread, on that thread, with the tally of its pushes.
  package init(_ order: SendingOrder, ended: @escaping @Sendable (SendingTally) -> Void) {
    let threads = max(1, min(order.threads, order.connections))
    var order = order
    order.threads = threads
    mailboxes = (0..<threads).map { _ in Mailbox() }
    progress = (0..<threads).map { _ in SendingProgress() }
    for index in 0..<threads {
      let thread = LoopThread { [order, mailbox = mailboxes[index], progress = progress[index]] in
        ended(SendingLoop(order, index: index, mailbox: mailbox, progress: progress).run())
      }
      guard let thread else {
        var tally = SendingTally()
        tally.trouble = "the system allows no more threads"
        ended(tally)
        continue
      }
      thread.detach()
    }
  }

  /// Number of answers so far, and of those with status 200.
  package var answered: (all: UInt64, sound: UInt64) {
    progress.reduce((0, 0)) { ($0.0 + $1.answered, $0.1 + $1.sound) }
  }

  /// Sends nothing more, and waits at most `patience` for answers.
  package func stop(patience: Duration) { for mailbox in mailboxes { mailbox.post(.stop(patience: patience)) } }

  /// The fields of all requests from now on.
  package func use(_ fields: [(name: String, value: String)]) {
    let fields = fields.map { SendingLoop.Field(name: $0.name, value: $0.value) }
    for mailbox in mailboxes { mailbox.post(.use(fields)) }
  }
}
