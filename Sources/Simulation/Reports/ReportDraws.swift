import Timeline

/// Independent random streams for reports of apps.
struct ReportDraws: Sendable {
  let lost: Chance
  let answerLost: Chance
  let doubled: Chance
  let overtaken: Chance
  let failed: Chance
  let delay: Chance
  let opening: Chance
  let identity: Chance
  let session: Chance

  init(seed: UInt64) {
    let chance = Chance(seed: seed)
    lost = chance.stream(for: "report lost")
    answerLost = chance.stream(for: "report's answer lost")
    doubled = chance.stream(for: "report doubled")
    overtaken = chance.stream(for: "report overtaken")
    failed = chance.stream(for: "report failed")
    delay = chance.stream(for: "report's delay")
    opening = chance.stream(for: "first opening")
    identity = chance.stream(for: "idfv")
    session = chance.stream(for: "user session")
  }
}
