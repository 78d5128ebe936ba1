import APNs
import Devices
import Hunting
import Simulation
import Timeline
import WireFormats

/// A variant as its session has seen it.
struct HuntedSession {
  private let session: TestSession
  /// Oldest first; the first ones, if there are many.
  private let pushes: [PushRecord]
  private let calls: [CallEnd]

  /// A test sends fewer, and of a flood the rest says nothing new.
  private static let most = 2000

  /// - Parameter session: a closed one.
  init(_ session: TestSession) {
    self.session = session
    let count = session.pushLog.count
    pushes = (max(0, count - Self.most)..<count).reversed().compactMap { session.pushLog.record(aged: $0) }
    calls = Array(session.calls.newest(before: .max).prefix(Self.most).map(\.end).reversed())
  }

  /// The story as perturbations see it.
  var ground: HuntingGround {
    let length = session.closedAt.map { session.openedAt.duration(to: $0) } ?? .zero
    var ground = HuntingGround(
      door: .test, length: length, devices: (session.scope.devices ?? []).prefix(100).map(\.text))
    ground.take(pushes.map { WitnessedPush($0) }, calls: calls)
    return ground
  }

  var features: [String] {
    HuntFeatures.read(pushes: pushes, calls: calls, findings: session.auditor.findings)
  }

  /// For each of that many perturbations, whether one of its faults has struck.
  func struck(_ count: Int) -> [Bool] {
    (0..<count).map { index in session.struck.contains { $0.fault == Perturbation.faultName(index) && $0.count > 0 } }
  }
}
