import Timeline

/// The random streams about phones: one for each question, so that drawing one does not change another.
struct PhoneRandomness: Hashable, Sendable {
  let island: Chance
  let watch: Chance
  /// A person's permissions for an app, and habits.
  let install: Chance
  let backgroundRefresh: Chance
  let offline: Chance
  let lowPower: Chance
  let rendering: Chance
  let stuck: Chance
  let tap: Chance
  let lowPriority: Chance
  let overflow: Chance
  let token: Chance
  let appearance: Chance
  let wake: Chance
  let rotation: Chance
  let tokenLoss: Chance
  let staleToken: Chance
  let background: Chance

  init(seed: UInt64) {
    let chance = Chance(seed: seed)
    island = chance.stream(for: "Dynamic Island")
    watch = chance.stream(for: "Watch")
    install = chance.stream(for: "install")
    backgroundRefresh = chance.stream(for: "background app refresh")
    offline = chance.stream(for: "offline")
    lowPower = chance.stream(for: "Low Power Mode")
    rendering = chance.stream(for: "rendering")
    stuck = chance.stream(for: "rendering stuck")
    tap = chance.stream(for: "notification tapped")
    lowPriority = chance.stream(for: "priority 5")
    overflow = chance.stream(for: "budget overflow")
    token = chance.stream(for: "update token delay")
    appearance = chance.stream(for: "start visible")
    wake = chance.stream(for: "wake delay")
    rotation = chance.stream(for: "rotation")
    tokenLoss = chance.stream(for: "token stream silent")
    staleToken = chance.stream(for: "token dead after a system update")
    background = chance.stream(for: "background wake")
  }
}
