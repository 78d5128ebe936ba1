import Devices

extension Setting {
  static let prompt: [Setting] = [
    Setting(
      "prompt.policy", \.habits.prompt.policy, .word, flag: "prompt",
      "When a start by push asks whether the app may show Live Activities; until Allow there is no update token.",
      .disputed("that it asks is confirmed by Apple's support (mfaani.com); whether every start does is unknown")),
    Setting(
      "prompt.answer", \.habits.prompt.answer, .word, "What the person answers.",
      .assumed("allow; an ignored card was seen to stay whatever is pushed (forum thread 836077)")),
    Setting(
      "prompt.after", \.habits.prompt.after, .duration,
      "How long the person looks at the Lock Screen before answering.",
      .assumed("no figure was found")),
    Setting(
      "prompt.cleanUp", \.habits.prompt.cleanUp, .duration, "When an ignored card goes.",
      .assumed("after the longest life of a card")),
    Setting(
      "prompt.needsLockScreen", \.habits.prompt.needsLockScreen, .truth,
      "Whether it is answered on the Lock Screen only, and so not while the phone is in use.",
      .observed("the question is under the card on the Lock Screen (forum thread 836077)")),
    Setting(
      "prompt.asksAgainAfter", \.habits.prompt.asksAgainAfter, .optional("never", or: .count(1...1_000_000)),
      "Updates of priority 10 to an app after which the question comes back under a card that goes on running.",
      .observed("once, without a number; off unless set")),
  ]
}
