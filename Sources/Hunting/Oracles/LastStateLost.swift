import APNs
import Devices
import Scenarios
import Simulation
import Timeline
import WireFormats

/// A card does not come to what it shows without trouble: its last content, its end, or the card itself is missing.
///
/// A card is behind if it shows a value that the card of the plain play has shown earlier, and not its last one; what
/// that card never showed, such as another version number, differs honestly. It is also behind if it runs, and the
/// plain one was ended by a push; and if it was never started, and the plain one runs.
///
/// Could have been right: the phone is online, its app is installed and allows Live Activities; the backend has known
/// the card's current token for a minute and a half, and has not tried for as long; apps have told it as much as in the
/// plain play, and it has sent the missing value to somebody, or heard of it in another way. And it has not done its
/// part: a push with what is missing that APNs has taken, and whose answer may have come, is all that a backend can do,
/// whatever became of the push then. Excepted is one that a later push without this content has overwritten before the
/// phone acknowledged it (Apple, Troubleshooting push notifications: each might overwrite the previous).
///
/// Not judged: cards that the person or the system has ended, content that the app has set, pushes that APNs has called
/// wrong, tokens that it has called dead, and cards whose token gets nothing any more (`tokenForgotten`). A push that
/// was never tried is not missed if the clock has leapt or the phone's owner has opened the app once more, since a
/// reminder may not be needed any more; and one that was refused is not, if somebody has soon used the app.
package enum LastStateLost: Oracle {
  package static let name = "lastStateLost"
  package static let meaning = "A card never shows its last state, and nobody tells it any more."
  /// Longer than backends wait before they try again.
  static let patience: Duration = .seconds(90)
  /// Assumed: a backend may give a push up after as many attempts. Those that are known allow six to ten.
  static let mostAttempts = 5
  /// A start may be repeated only if no token comes for some minutes.
  static let startPatience: Duration = .seconds(180)

  package static func judge(_ variant: Witness, plain: Witness) -> [HuntFailure] {
    let forgotten = Set(TokenForgotten.forgotten(variant, plain: plain).tokens.map(\.token))
    let comparison = CardComparison(variant, plain: plain)
    var cases = Cases<CardComparison.Loss>()
    var total = 0
    for old in plain.installs {
      guard let install = variant[old.id], install.isOnline, install.isInstalled, install.allowsActivities,
        !variant.wasErased(install.id.device)
      else { continue }
      total += old.cards.count
      guard !old.cards.isEmpty, variant.wasToldAsMuch(of: install.user, as: plain) else { continue }
      for loss in comparison.losses(of: install, old) where loss.token.map({ !forgotten.contains($0) }) ?? true {
        cases.add(loss.subject, loss)
      }
    }
    return cases.groups.map { group in
      let example = group.examples[0]
      let few = group.examples.count == 1
      return failure(
        group.subject,
        "\(counted(group.examples.count, of: total, "card")) \(few ? "stays" : "stay") behind: \(group.subject)"
          + " (\(example.words))", expectation: example.expectation, timeline: example.timeline)
    }
  }

  /// True if a backend has tried often enough, or must not insist: a provider token that is refused twice as expired
  /// will be refused again (docs/behavior/failure-modes.md#mode-11), and one that a fault calls new may be changed only
  /// after 20 minutes. No number of attempts is enough on a connection that must be replaced, or if APNs itself calls
  /// the provider token new: the backend has changed it, and knew its age.
  static func mayGiveUp(_ attempts: [WitnessedPush], in witness: Witness) -> Bool {
    let isNew = attempts.last?.reason == .tooManyProviderTokenUpdates
    guard !witness.isOnSickConnection(attempts), !isNew || attempts.last?.record.fault != nil else { return false }
    let isExpired = attempts.count > 1 && attempts.suffix(2).allSatisfy { $0.reason == .expiredProviderToken }
    return attempts.count >= mostAttempts || isExpired || isNew
  }
}
