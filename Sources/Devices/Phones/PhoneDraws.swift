import Timeline

/// What chance decides about phones: a stream for each question, so that asking one never changes another.
struct PhoneDraws: Hashable, Sendable {
  let island: Chance
  let watch: Chance
  let liveActivities: Chance
  let frequentUpdates: Chance
  let backgroundRefresh: Chance
  let forceQuit: Chance
  let offline: Chance
  let lowPower: Chance
  let permission: Chance
  let rendering: Chance
  let stuck: Chance
  let lowPriority: Chance
  let overflow: Chance
  let token: Chance
  let wake: Chance
  let rotation: Chance
  let tokenLoss: Chance
  let background: Chance

  init(seed: UInt64) {
    let chance = Chance(seed: seed)
    island = chance.stream(for: "Dynamic Island")
    watch = chance.stream(for: "Watch")
    liveActivities = chance.stream(for: "Live Activities allowed")
    frequentUpdates = chance.stream(for: "frequent updates allowed")
    backgroundRefresh = chance.stream(for: "background app refresh")
    forceQuit = chance.stream(for: "force-quit")
    offline = chance.stream(for: "offline")
    lowPower = chance.stream(for: "Low Power Mode")
    permission = chance.stream(for: "notification permission")
    rendering = chance.stream(for: "rendering")
    stuck = chance.stream(for: "rendering stuck")
    lowPriority = chance.stream(for: "priority 5")
    overflow = chance.stream(for: "budget overflow")
    token = chance.stream(for: "update token delay")
    wake = chance.stream(for: "wake delay")
    rotation = chance.stream(for: "rotation")
    tokenLoss = chance.stream(for: "token stream silent")
    background = chance.stream(for: "background wake")
  }
}
