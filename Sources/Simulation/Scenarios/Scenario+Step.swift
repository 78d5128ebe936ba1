import APNs
import Devices
import Timeline
import WireFormats

extension Scenario {
  /// One line of the story: an action, and its time.
  package struct Step: Sendable {
    /// What expectations call it by.
    package let name: String?
    /// File, line and column, for messages.
    package let place: String
    /// Since the scenario began.
    package let first: Duration
    /// Between one time and the next.
    package let every: Duration
    package let times: Int
    package let stepAction: StepAction
    /// What it does, for people.
    package let words: String

    package init(
      name: String? = nil, place: String, first: Duration, every: Duration = .zero, times: Int = 1, words: String,
      stepAction: StepAction
    ) {
      self.words = words
      self.name = name
      self.place = place
      self.first = first
      self.every = every
      self.times = times
      self.stepAction = stepAction
    }

    package func moment(_ round: Int) -> Duration { first + every * round }
    package var last: Duration { moment(times - 1) }
  }

  /// What a step does.
  package enum StepAction: Sendable {
    case device(DeviceID, DeviceAction)
    case devices(Selection, DeviceAction)
    case push(ProviderStep)
    /// The world's clock jumps ahead; everything due on the way happens.
    case clock(Duration)
    /// Its times count from the step.
    case fault(Fault)
    /// Takes a fault back, or all of them.
    case heal(String?)
    /// Makes a token that the user has the present one of its slot.
    indirect case register(Command)
  }

  /// A provider that needs no backend: pushes to some of the fleet.
  package struct ProviderStep: Sendable {
    package enum Recipients: String, CaseIterable, Sendable {
      case deviceTokens
      case startTokens
      case updateTokens
    }

    /// Which of the tokens that a device has had.
    package enum Knowledge: String, CaseIterable, Sendable {
      /// What the phone has now, as a backend knows that was told of everything.
      case current
      /// What this provider used last for it, whatever has become of that: a backend that was told of nothing.
      case remembered
    }

    package var to = Recipients.deviceTokens
    package var knowledge = Knowledge.current
    /// Number of the app among the fleet's.
    package var app = 0
    /// Number of the attributes type, for start tokens.
    package var type = 0
    package var selection = Selection()
    /// Lower-case names; the topic and the push type among them.
    package var headers: [(name: String, value: ScenarioText)] = []
    package var payload: ScenarioPayload
    /// A body in place of the payload, as it is: it may be no JSON.
    package var raw: ScenarioText?

    /// Whether all devices get the same body.
    var isShared: Bool { raw?.isShared ?? payload.isShared }

    func body(at moment: ScenarioText.Moment) -> [UInt8] {
      Array((raw?.text(at: moment) ?? payload.json(at: moment).text).utf8)
    }

    package init(payload: ScenarioPayload) { self.payload = payload }
  }
}
