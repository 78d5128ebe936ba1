import APNs
import Devices
import Grammar
import Simulation
import Timeline

extension Form where Value == Bool {
  static var truth: Form { Form("", type: .truth, read: { try Read.truth($0) }, write: { $0 ? "true" : "false" }) }
}

extension Form where Value == Int {
  static func whole(_ range: ClosedRange<Int>) -> Form {
    Form("n", type: .whole(range), read: { try Read.whole($0, range) }, write: { "\($0)" })
  }
}

extension Form where Value == UInt32 {
  static func count(_ range: ClosedRange<Int>) -> Form {
    Form("n", type: .whole(range), read: { UInt32(clamping: try Read.whole($0, range)) }, write: { "\($0)" })
  }
}

extension Form where Value == UInt64 {
  static var seed: Form {
    Form("n", type: .anyWhole, read: { UInt64(clamping: try Read.whole($0, 0...Int.max)) }, write: { "\($0)" })
  }
}

extension Form where Value == UInt16 {
  static var port: Form { Form("port", type: .whole(0...65535), read: { try Read.port($0) }, write: { "\($0)" }) }
  /// A factor, stored in thousandths.
  static var factor: Form { Form("percent", read: { try Read.factor($0) }, write: { Percent.write($0, of: 1000) }) }
}

extension Form where Value == Cell {
  static var cell: Form {
    Form(
      "n/of",
      read: { text in
        guard let cell = Cell(text) else {
          throw ValueProblem(
            wanted:
              "the number of a cell and of all cells such as 3/16: 2 to 256 cells, numbered from 0 (0/16 to 15/16)")
        }
        return cell
      }, write: \.text)
  }
}

extension Form where Value == Int? {
  /// A number for which 0 means none.
  static func wholeOrNone(_ range: ClosedRange<Int>) -> Form {
    Form(
      "n", type: .whole(range),
      read: { text in
        let number = try Read.whole(text, range)
        return number == 0 ? nil : number
      }, write: { "\($0 ?? 0)" })
  }
}

extension Form where Value == String {
  static func text(_ shape: String) -> Form { Form(shape, read: { try Read.text($0) }, write: { $0 }) }
  static var language: Form { Form("language", read: { try Read.language($0) }, write: { $0 }) }
}

extension Form where Value == [String] {
  static func names(_ shape: String) -> Form {
    Form(shape, isList: true, read: { $0 == "none" ? [] : try Read.list($0) }) {
      $0.isEmpty ? "none" : $0.joined(separator: ",")
    }
  }
}

extension Form where Value == Duration {
  static var duration: Form {
    Form("duration", type: .duration, read: { try Read.duration($0) }, write: DurationText.write)
  }

  static func duration(from least: Duration) -> Form {
    Form(
      "duration", type: .duration,
      read: { text in
        let duration = try Read.duration(text)
        guard duration >= least else {
          throw ValueProblem(wanted: "a duration of at least \(DurationText.write(least))")
        }
        return duration
      }, write: DurationText.write)
  }
}

extension Form where Value == ClosedRange<Duration> {
  static var durations: Form {
    Form("from..to", read: { try Read.durations($0) }) { range in
      let low = DurationText.write(range.lowerBound)
      return range.lowerBound == range.upperBound ? low : "\(low)..\(DurationText.write(range.upperBound))"
    }
  }
}

extension Form where Value == Odds {
  static var share: Form {
    Form(
      "percent", type: .share, read: { try Read.share($0) },
      write: { Percent.write($0.numerator, of: $0.denominator) })
  }
}

extension Form where Value == BroadcastRate {
  /// A limit for both storage policies, or a limit for each.
  static var broadcastRate: Form {
    Form(
      "n|n/m|n/h,…",
      read: { text in
        let limits = text.split(separator: ",", omittingEmptySubsequences: false).map {
          limit(String($0.filter { $0 != " " }))
        }
        guard (1...2).contains(limits.count), let unstored = limits[0], let stored = limits[limits.count - 1]
        else {
          throw ValueProblem(wanted: "one whole number up to 1000000, or two such as 20,5; with /m or /h: 30/m,4/h")
        }
        return BroadcastRate(unstored: unstored, stored: stored)
      },
      write: { $0.unstored == $0.stored ? write($0.stored) : "\(write($0.unstored)),\(write($0.stored))" })
  }

  private static func limit(_ text: String) -> BroadcastRate.Limit? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let count = Int(parts[0]), (0...1_000_000).contains(count) else { return nil }
    guard parts.count == 2 else { return .init(count) }
    return BroadcastRate.Period(rawValue: String(parts[1])).map { .init(count, per: $0) }
  }

  private static func write(_ limit: BroadcastRate.Limit) -> String {
    limit.period == .second ? "\(limit.count)" : "\(limit.count)/\(limit.period.rawValue)"
  }
}

extension Form where Value == UpdateBudgetPlan.Overflow {
  static var overflow: Form {
    Form(
      "from..to|drop",
      read: { text in
        if text == "drop" { return .drop }
        do throws(ValueProblem) {
          return .coalesce(try Read.durations(text))
        } catch {
          throw ValueProblem(wanted: "drop, or \(error.wanted)")
        }
      },
      write: { overflow in
        switch overflow {
        case .coalesce(let range): Form<ClosedRange<Duration>>.durations.write(range)
        case .drop: "drop"
        }
      })
  }
}

extension Form where Value == Set<LowPriorityPlan.FlushCause> {
  static var flushes: Form {
    let all = LowPriorityPlan.FlushCause.allCases
    return Form(
      "cause,…|none", isList: true,
      read: { text in
        if text == "none" { return [] }
        let words = text.split(separator: ",").map { $0.filter { $0 != " " } }
        let causes = words.compactMap(LowPriorityPlan.FlushCause.init(rawValue:))
        guard causes.count == words.count, !causes.isEmpty else {
          throw ValueProblem(
            wanted: "some of \(all.map(\.rawValue).joined(separator: ", ")), separated by commas, or none")
        }
        return Set(causes)
      },
      write: { set in
        set.isEmpty ? "none" : all.filter(set.contains).map(\.rawValue).joined(separator: ",")
      })
  }
}

extension Form where Value == ServiceExtension {
  static var serviceExtension: Form {
    Form(
      "none|duration|timeout",
      read: { text in
        switch text {
        case "none": return .absent
        case "timeout": return .runsOut
        default:
          guard let duration = DurationText.parse(text), duration < ServiceExtension.longest else {
            throw ValueProblem(
              wanted: "none, timeout, or a duration below \(DurationText.write(ServiceExtension.longest))")
          }
          return .succeeds(after: duration)
        }
      },
      write: { employed in
        switch employed {
        case .absent: "none"
        case .succeeds(let duration): DurationText.write(duration)
        case .runsOut: "timeout"
        }
      })
  }
}

extension Form where Value == CallReporting {
  static var callReporting: Form {
    Form(
      "at once|after duration|never",
      read: { text in
        switch text {
        case "at once": return .atOnce
        case "never": return .never
        default:
          guard text.hasPrefix("after "), let duration = DurationText.parse(String(text.dropFirst(6))), duration > .zero
          else { throw ValueProblem(wanted: "at once, never, or a delay such as after 3s") }
          return .late(duration)
        }
      },
      write: { reporting in
        switch reporting {
        case .atOnce: "at once"
        case .late(let duration): "after \(DurationText.write(duration))"
        case .never: "never"
        }
      })
  }
}

extension Form where Value == [FleetPlan.VersionShare] {
  static var mix: Form {
    Form("version:parts,…", read: { try Read.mix($0) }) { shares in
      shares.map { "\($0.os.text):\($0.parts)" }.joined(separator: ",")
    }
  }
}

extension Form where Value == RejectionReason {
  static var reason: Form { Form("reason", read: { try Read.reason($0) }, write: { $0.rawValue }) }
}

extension Form where Value == Duration? {
  static var durationOrNever: Form {
    Form(
      "duration|never",
      read: { text in
        if text == "never" { return nil }
        do throws(ValueProblem) {
          return try Read.duration(text)
        } catch {
          throw ValueProblem(wanted: "\(error.wanted), or never")
        }
      }, write: { $0.map(DurationText.write) ?? "never" })
  }
}

extension Form where Value == String? {
  /// The URL of a backend, without a trailing slash.
  static var backend: Form {
    Form(
      "url",
      read: { text in
        guard BackendURL.isValid(text), !text.contains("{{") else {
          throw ValueProblem(wanted: "a URL such as http://127.0.0.1:8080")
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
      }, write: { $0 ?? "" })
  }
}
