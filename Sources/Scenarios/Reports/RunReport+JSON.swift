import APNs
import Simulation
import Timeline
import WireFormats

/// The report for programs. Times are in seconds.
extension RunReport {
  package var json: JSONValue {
    [
      "format": 1, "run": run, "notes": .array(notes.map { .string($0) }), "empty": .bool(isEmpty),
      "limit": ["name": .string(limit.name), "sentence": .string(limit.sentence), "rule": .string(LoadLimit.rule)],
      "pushes": pushes, "curve": curve, "latency": latency, "fanOuts": fanOutList, "fates": fateList,
      "throttling": throttling, "retries": retries, "connections": connections, "phones": phoneList,
      "findings": .array(findings.map(Self.json)), "broadcasts": broadcasts,
      "calls": ["total": .count(tally.calls), "failed": .count(tally.failedCalls)],
      "troubles": .counts(tally.troubles), "scenario": scenario?.json ?? .null,
    ]
  }

  private var run: JSONValue {
    [
      "command": .string(origin.command), "program": .string(origin.program),
      "devices": .integer(Int64(origin.devices)), "seed": .string("\(origin.seed)"),
      "apps": .array(origin.apps.map { .string($0) }), "worldBegan": .string(origin.began.rfc3339),
      "worldReached": JSONValue(tally.worldReached?.rfc3339), "firstPush": JSONValue(tally.firstPush?.rfc3339),
      "lastPush": JSONValue(tally.lastPush?.rfc3339), "seconds": .double(tally.length / .seconds(1)),
      "virtual": .bool(origin.isVirtual), "simulatedClock": .bool(isBySimulatedClock),
      "machineSeconds": tally.machineLength.map { .double($0 / .seconds(1)) } ?? .null, "events": .count(tally.events),
    ]
  }

  private var pushes: JSONValue {
    [
      "total": .count(tally.pushes), "accepted": .count(accepted), "perSecond": rate.map { .double($0) } ?? .null,
      "peakPerSecond": .count(tally.series.peak),
      "answers": .array(
        answers.map { row in
          ["status": JSONValue(row.status), "reason": JSONValue(row.reason), "count": .count(row.count)]
        }),
      "kinds": .array(
        kinds.map { kind, counts in
          [
            "pushType": JSONValue(kind.type?.rawValue), "priority": .integer(Int64(kind.priority.rawValue)),
            "accepted": .count(counts.accepted), "refused": .count(counts.refused),
          ]
        }),
      "sentOtherwise": .counts(tally.otherAnswers),
    ]
  }

  private var curve: JSONValue {
    let slots = tally.series.slots
    var members: [JSONValue.Member] = [
      .init("began", JSONValue(tally.series.began.map { Instant(seconds: $0).rfc3339 })),
      .init("slotSeconds", .integer(tally.series.width)),
    ]
    for answer in RateSeries.Answer.allCases {
      members.append(.init("\(answer)", .array(slots.map { .count($0.count(answer)) })))
    }
    let busy = slots.map { $0.sampled > 0 ? JSONValue.double(Double($0.processor) / Double($0.sampled)) : .null }
    members.append(.init("processorsUsed", slots.contains { $0.sampled > 0 } ? .array(busy) : .null))
    members.append(
      .init(
        "faults",
        .array(
          tally.series.strikes.map { strikes in
            ["name": .string(strikes.fault), "pushes": .array(strikes.counts.map { .count($0) })]
          })))
    return .object(members)
  }

  private var latency: JSONValue {
    let latency = tally.latency
    return [
      "eventToAPNs": .times(latency.sending), "apnsToScreen": .times(latency.showing),
      "eventToScreen": .times(latency.whole), "beforeTheirEvent": .count(latency.early),
      "eventOverADayAway": .count(latency.implausible), "eventsInWholeSeconds": .count(latency.wholeSeconds),
    ]
  }

  private var fanOutList: JSONValue {
    [
      "count": .count(fanOuts.count), "pushes": .sizes(fanOuts.sizes), "firstToLastPush": .times(fanOuts.sending),
      "firstToLastPhone": .times(fanOuts.showing),
      "largest": .array(
        fanOuts.largest.map { fanOut in
          [
            "name": .string(fanOut.name), "began": .string(fanOut.firstSent.rfc3339), "pushes": .count(fanOut.pushes),
            "accepted": .count(fanOut.accepted), "shown": .count(fanOut.shown), "shownLate": .count(fanOut.late),
            "firstToLastPush": .double(fanOut.sendingTime / .seconds(1)),
            "firstToLastPhone": fanOut.showingTime.map { .double($0 / .seconds(1)) } ?? .null,
          ]
        }),
    ]
  }

  private var fateList: JSONValue {
    .array(
      fates.map { fate, count in
        [
          "token": JSONValue(fate.kind?.name), "status": .string(fate.status.words),
          "outcome": JSONValue(fate.outcome), "cause": JSONValue(fate.cause), "onScreen": .bool(fate.isOnScreen),
          "count": .count(count),
        ]
      })
  }

  private var throttling: JSONValue {
    [
      "count": .count(tally.count(.throttled)), "byFaults": .count(tally.throttledByFaults),
      "tokens": .array(
        throttledTokens.map { address, count in
          [
            "device": .string(address.device.text), "token": .string(address.slot.kind.name),
            "app": JSONValue(origin.apps.indices.contains(address.app) ? origin.apps[address.app] : nil),
            "count": .count(count),
          ]
        }), "atLeast": .bool(tally.throttled.dropped > 0),
    ]
  }

  private var retries: JSONValue {
    let retries = tally.retries
    return [
      "failures": .count(retries.failures), "retries": .count(retries.retries), "recovered": .count(retries.recovered),
      "refused": .count(retries.refused), "withinASecond": .count(retries.hastyRetries),
      "overtaken": .count(retries.overtaken), "neverSentAgain": .count(retries.abandoned),
      "notFollowed": .count(retries.forgotten), "delay": .times(retries.delays),
    ]
  }

  private var connections: JSONValue {
    let connections = tally.connections
    return [
      "opened": .count(connections.opened), "closed": .count(connections.closed),
      "mostOpen": JSONValue(connections.mostOpen), "pushes": .sizes(connections.pushesPerConnection),
      "pushesPerRead": origin.isVirtual ? .null : .sizes(connections.reads),
      "faultStrikes": .counts(tally.connectionStrikes),
    ]
  }

  private var broadcasts: JSONValue {
    ["published": .count(tally.broadcasts.count), "refused": .count(tally.broadcasts.refused)]
  }

  private var phoneList: JSONValue {
    .array(
      worstPhones.map { device, phone in
        [
          "device": .string(device.text), "refused": .count(phone.refused), "throttled": .count(phone.throttled),
          "lost": .count(phone.lost), "atLeast": .bool(tally.phones.dropped > 0),
          "latest": .array(
            phone.latest.map { incident in
              ["at": .string(incident.at.rfc3339), "push": .count(incident.push), "words": .string(incident.words)]
            }),
        ]
      })
  }

  private static func json(_ finding: Finding) -> JSONValue {
    [
      "kind": .string(finding.kind.rawValue), "count": .count(finding.count),
      "latest": JSONValue(finding.latest?.sentence), "device": JSONValue(finding.latest?.device?.text),
    ]
  }
}

extension Histogram {
  /// The shares that reports give.
  package static let shares: [(name: String, share: Double)] = [
    ("p50", 0.5), ("p75", 0.75), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999),
  ]
}

extension JSONValue {
  fileprivate static func count(_ number: UInt64) -> JSONValue { .integer(Int64(clamping: number)) }

  fileprivate static func counts(_ counts: [String: UInt64]) -> JSONValue {
    .object(counts.sorted { $0.key < $1.key }.map { .init($0.key, .count($0.value)) })
  }

  /// Of nanoseconds, in seconds.
  fileprivate static func times(_ histogram: Histogram) -> JSONValue {
    numbers(histogram) { .double($0.rounded() / 1e9) }
  }

  fileprivate static func sizes(_ histogram: Histogram) -> JSONValue { numbers(histogram) { .double($0) } }

  private static func numbers(_ histogram: Histogram, _ write: (Double) -> JSONValue) -> JSONValue {
    guard let least = histogram.least, let greatest = histogram.greatest else { return ["count": 0] }
    var members: [Member] = [
      Member("count", .count(histogram.count)), Member("min", write(Double(least))),
      Member("mean", write(histogram.mean)),
    ]
    for (name, share) in Histogram.shares {
      members.append(Member(name, write(Double(histogram.number(at: share) ?? 0))))
    }
    return .object(members + [Member("max", write(Double(greatest)))])
  }
}
