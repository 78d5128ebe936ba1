import Simulation
import Timeline

extension Scenario {
  /// A step of a scenario: an action and its time.
  package struct Step: Sendable {
    /// The name that expectations refer to.
    package var name: String?
    /// File, line and column, for messages.
    package let place: String
    /// Relative to the scenario's beginning.
    package let first: Duration
    /// Time between repetitions.
    package var every = Duration.zero
    package var times = 1
    package let action: any StepAction
    /// A description, for messages.
    package let words: String

    package init(place: String, first: Duration, words: String, action: any StepAction) {
      self.words = words
      self.place = place
      self.first = first
      self.action = action
    }

    /// The name of the channel that it creates.
    package var createdChannel: String? { (action as? CreateChannelStep)?.order.channel }
    /// The fault that it sets.
    package var fault: Fault? { (action as? FaultStep)?.fault }

    package func moment(_ round: Int) -> Duration { first + every * round }
    package var last: Duration { moment(times - 1) }
  }
}
