/// A way in which backends have failed before, as perturbations of any story.
package struct KnownMode: Sendable {
  /// The number in docs/behavior/failure-modes.md.
  package let number: Int
  /// A short description, such as `GOAWAY with open streams`.
  package let title: String
  /// The perturbations for a story; empty if it has nothing that they could be about.
  let perturbations: @Sendable (HuntingGround) -> [Perturbation]
  /// True if it is the faults together that are the mode, and not each of them, such as one for each of some phones.
  let needsAllFaults: Bool

  init(
    _ number: Int, _ title: String, needsAllFaults: Bool = false,
    making perturbations: @escaping @Sendable (HuntingGround) -> [Perturbation]
  ) {
    self.number = number
    self.title = title
    self.needsAllFaults = needsAllFaults
    self.perturbations = perturbations
  }
}
