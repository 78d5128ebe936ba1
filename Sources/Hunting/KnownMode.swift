/// A way in which backends have failed before, as perturbations of any story.
package struct KnownMode: Sendable {
  /// The number in docs/behavior/failure-modes.md.
  package let number: Int
  /// A short description, such as `GOAWAY with open streams`.
  package let title: String
  /// The perturbations for a story; empty if it has nothing that they could be about.
  let perturbations: @Sendable (HuntingGround) -> [Perturbation]

  init(_ number: Int, _ title: String, making perturbations: @escaping @Sendable (HuntingGround) -> [Perturbation]) {
    self.number = number
    self.title = title
    self.perturbations = perturbations
  }
}
