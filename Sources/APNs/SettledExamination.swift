/// What the rules say of a push whose provider token is the one that passed last on its connection. It changes nothing
/// there: the next push with the same headers is found the same at the same time.
package struct SettledExamination: Sendable {
  package let push: ExaminedPush
  /// Nil for a push that is refused.
  let topic: Topic?
  let refusal: Refusal?
  /// Number of the provider's key.
  package let keyNumber: Int
  /// Where the device token leads, if it was made from the seed.
  package let address: Address?

  /// Nil where the next push may be found otherwise, or where rules are left that are not about its phone.
  package init?(_ examination: borrowing Examination, by examiner: PushExaminer) {
    self.init(examination.admission, examination.refusal, nil, examiner)
  }

  init?(_ admission: borrowing Admission, _ refusal: Refusal?, _ address: Address?, _ examiner: PushExaminer) {
    guard admission.isPassedBefore, examiner.shortOrder.asksOnlyPhones, let provider = admission.provider,
      refusal != nil || admission.topic != nil
    else { return nil }
    push = admission.push
    topic = admission.topic
    keyNumber = provider.keyNumber
    self.refusal = refusal
    self.address = address
  }
}
