import Devices

extension Expectation {
  /// A copy of the expectation that is limited to a session's screens if it names no devices. It is evaluated when the
  /// session is closed.
  ///
  /// - Parameter scope: with its devices in their order.
  package func bound(to scope: Filter) -> Expectation {
    var question = question
    if case .screens(var selection, let shape, let claim) = question, selection.filter.devices == nil,
      let devices = scope.devices
    {
      selection.filter.devices = devices
      question = .screens(selection, shape, claim)
    } else if case .converged(var selection, let app) = question, selection.filter.devices == nil,
      let devices = scope.devices
    {
      selection.filter.devices = devices
      question = .converged(selection, app: app)
    }
    return Expectation(name: name, place: place, at: nil, window: window, question: question)
  }
}
