extension MatchBackend {
  /// Habit of the backend, wrong or right.
  enum Bug: CaseIterable {
    /// Sends nothing again.
    case givesUp
    /// Sends no alert again, and all else only after eighty seconds.
    case givesUpAlerts
    /// Sends no alert again either, with one collapse id for all. It is right to do so.
    case collapsesAlerts
    /// Sends an alert twice at most, and the next person gets it after twenty seconds. It is right to do so.
    case offersInTurn
    /// Gives a retry another timestamp.
    case restamps
    /// Takes a push for lost after five seconds.
    case isImpatient
    /// Closes the stream of a push after five seconds, and sends it again.
    case breaksOff
    /// Deletes a token when anything goes wrong with it.
    case forgets
    /// Deletes an app with all its tokens when its device token is called dead. It is right to do so.
    case forgetsTheApp
    /// Never pushes again to a token that was called bad.
    case shunsBadTokens
    /// Does not read a 410.
    case ignores410
    /// Sends a start again at once when it hears nothing.
    case startsAgain
    /// Starts a card again whose token is answered 410.
    case startsWhatIsGone
    /// Answers what apps report after a minute with 500.
    case fails
    /// Sends the last score and an end without it in one instant.
    case endsWithoutContent
    /// Sends again at once after 429.
    case isHasty
    /// Sends again after ten seconds of the machine's clock, while that of the phones stands.
    case waitsByItsClock
    /// Sends again at the next tick, which comes in the same instant.
    case waitsForTheTick
    /// Sends what it has sent again to everybody when one push is refused.
    case resendsAll
    /// Says nothing to a token that comes late.
    case ignoresLateTokens
    /// Renews its provider token before an alert.
    case renewsOnce
    /// Renews its provider token before each push.
    case renewsOften
    /// Sends no alert within five minutes after another one that was taken. It is right to do so.
    case alertsRarely
    /// Starts no card for who has opened the app since the beginning, and sends no alert. It is right to do so.
    case sparesTheBusy
    /// Sends its last alert to phones whose card has ended, and sends nothing again.
    case alertsTheCardless
    /// Sends no alert within five minutes after one to anybody. It is right to do so.
    case alertsAllRarely
    /// Sends what was refused to the person's other phone, as all that follows, but updates. It is right to do so.
    case movesToOtherPhone
    /// Tells how many alerts there are, with those that were refused before. It is right to do so.
    case joinsAlerts
    /// Sends two alerts with the same words about two things at once. It is right to do so.
    case tellsTwoThings
    /// Sends no start again that has expired after a minute. It is right to do so.
    case startsExpire
    /// Shows a state again that was shown before, and sends nothing again. It is right to do so.
    case toggles
    /// Sends no alert again to the first phone.
    case givesUpFirst
    /// Renews its provider token whenever one is refused, and gives up what is refused for that.
    case renewsAtRefusal
    /// Never replaces its connection, whatever is answered on it.
    case keepsConnection
    /// Keeps the first update token of a card.
    case ignoresRotation
    /// Sends four alerts. It is right to do so.
    case alertsOften
    /// Sends four alerts, and keeps the first device token of an app.
    case keepsDeviceTokens
  }
}
