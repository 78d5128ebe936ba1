import HTTP2
import Simulation

extension AnswerProgress {
  /// Translates the wire's reports for the world.
  init(_ kind: AnswerReport.Kind) {
    switch kind {
    case .waitsForWindow: self = .waits(.window)
    case .waitsFrozen: self = .waits(.frozen)
    case .left: self = .left
    case .cut: self = .cut
    case .clientReset: self = .never(.clientReset)
    case .leftOut: self = .never(.goAway)
    case .lost: self = .never(.connectionEnded)
    }
  }
}
