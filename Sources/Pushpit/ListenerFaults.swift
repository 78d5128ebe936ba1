import APNs
import Signing
import Simulation
import Timeline
import Transport

/// Carries out faults of the push listeners.
struct ListenerFaults: Sendable {
  let listenerPoster: ListenerPoster
  let certificates: Certificates
  let log: @Sendable (String) -> Void

  /// Nil removes the fault. Without an environment, applies to both.
  @Sendable
  func set(_ fault: ListenerFault?, _ environment: Environment?) {
    let trouble: ListenerFaultMode?
    do {
      trouble = try fault.map { try self.trouble($0) }
    } catch {
      log("A fault of the listeners cannot be set: \(error).")
      return
    }
    if environment != .production { listenerPoster.set(trouble, listener: Listeners.sandbox) }
    if environment != .sandbox { listenerPoster.set(trouble, listener: Listeners.production) }
  }

  private func trouble(_ fault: ListenerFault) throws -> ListenerFaultMode {
    switch fault {
    case .refuse: return .refuse
    case .failHandshake: return .failHandshake
    case .slowHandshake(let duration): return .slowHandshake(duration)
    case .hang: return .hang
    case .certificate(let fault):
      let identity = try certificates.presented(fault)
      return .context(try TLSContext(certificates: identity.certificatePEM, key: identity.privateKeyPEM))
    }
  }
}
