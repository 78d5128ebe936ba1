extension Pushpit {
  /// A number that is wanted, or a range of numbers: `2`, `.atLeast(10)`, `.between(10...20)`.
  public struct Count: Sendable, ExpressibleByIntegerLiteral, JSONWritable {
    let json: JSON

    public init(integerLiteral number: Int) { json = JSON(number) }
    private init(_ text: String) { json = JSON(text) }

    public static func exactly(_ number: Int) -> Self { Self(integerLiteral: number) }
    public static func atLeast(_ number: Int) -> Self { Self("\(number)..") }
    public static func between(_ numbers: ClosedRange<Int>) -> Self {
      Self("\(numbers.lowerBound)..\(numbers.upperBound)")
    }
  }

  /// A number of phones that is wanted: `.all`, `2`, `.atLeast(10)`, `.between(10...20)`.
  public struct PhoneCount: Sendable, ExpressibleByIntegerLiteral, JSONWritable {
    let json: JSON

    public init(integerLiteral number: Int) { json = JSON(number) }
    private init(json: JSON) { self.json = json }

    public static let all = Self(json: "all")
    public static func exactly(_ number: Int) -> Self { Self(json: JSON(number)) }
    public static func atLeast(_ number: Int) -> Self { Self(json: Count.atLeast(number).json) }
    public static func between(_ numbers: ClosedRange<Int>) -> Self { Self(json: Count.between(numbers).json) }
  }

  /// A condition that all, some or none of the things must meet that an expectation is about.
  public struct Check: Sendable, JSONWritable {
    let json: JSON

    /// A condition that everything meets: `none: .anything`.
    public static let anything = Self(json: true)
    public static func pushes(_ marks: PushMark...) -> Self { Self(json: marks.object) }
    public static func calls(_ marks: CallMark...) -> Self { Self(json: marks.object) }
    public static func broadcasts(_ marks: BroadcastMark...) -> Self { Self(json: marks.object) }
    public static func arrivals(_ marks: ArrivalMark...) -> Self { Self(json: marks.object) }
    /// Meant for delays.
    public static func between(_ times: ClosedRange<Duration>) -> Self {
      Self(json: JSON("\(times.lowerBound.seconds)s..\(times.upperBound.seconds)s"))
    }
  }

  /// The time by which an answer or a call is late, which may differ each time.
  public struct Delay: Sendable, JSONWritable {
    let json: JSON

    public static func seconds(_ seconds: Double) -> Self { Self(json: Duration.seconds(seconds).json) }
    public static func milliseconds(_ milliseconds: Int) -> Self {
      Self(json: Duration.milliseconds(milliseconds).json)
    }
    /// Any time of the range, drawn evenly.
    public static func between(_ times: ClosedRange<Duration>) -> Self {
      Self(json: JSON(members: ["from": times.lowerBound, "to": times.upperBound]))
    }
    /// Times that half of the time are shorter than the median, and longer than `p99` in one of a hundred.
    public static func lognormal(median: Duration, p99: Duration) -> Self {
      Self(json: JSON(members: ["median": median, "p99": p99]))
    }
  }
}
