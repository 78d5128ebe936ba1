import APNs
import Grammar

/// The word of `--push-type`.
package enum PushTypeWord {
  /// - Throws: `InputProblem` with the nearest push type, or all of them.
  static func read(_ word: String) throws(InputProblem) -> PushType {
    if let type = PushType(rawValue: word) { return type }
    let known = PushType.allCases.map(\.rawValue)
    let near = Wording.suggestion(for: word, among: known)
    let end = near == "." ? "; they are \(known.joined(separator: ", "))." : near
    throw InputProblem("--push-type", "there is no push type \(word)\(end)")
  }

  package static func check(_ word: String) throws(InputProblem) { _ = try read(word) }
}
