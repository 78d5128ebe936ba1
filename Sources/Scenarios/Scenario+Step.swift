import APNs
import Devices
import Simulation
import Timeline
import WireFormats

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
    package let stepAction: StepAction
    /// A description, for messages.
    package let words: String

    package init(place: String, first: Duration, words: String, stepAction: StepAction) {
      self.words = words
      self.place = place
      self.first = first
      self.stepAction = stepAction
    }

    /// The name of the channel that it creates.
    package var createdChannel: String? {
      if case .channel(let step) = stepAction, case .create = step.order { step.channel } else { nil }
    }

    package func moment(_ round: Int) -> Duration { first + every * round }
    package var last: Duration { moment(times - 1) }
  }

  /// An action of a step.
  package enum StepAction: Sendable {
    case device(DeviceID, DeviceAction)
    case devices(Selection, DeviceAction)
    case push(ProviderStep)
    /// Advances the world's clock; everything due in between happens.
    case clock(Duration)
    /// Sets a fault, whose times are relative to the step.
    case fault(Fault)
    /// Removes a fault, or all of them.
    case deleteFault(String?)
    /// Makes a token of the user the current token of its slot.
    indirect case register(Command)
    indirect case channel(ChannelStep)
  }
}
