/// Faults without their names, by which plays with the same faults are found again.
struct FaultKey: Hashable {
  private let faults: [JSON]

  /// - Parameter faults: a list of bodies of `POST /v1/faults`.
  init(_ faults: JSON) {
    self.faults = faults.rows.map { fault in JSON((fault.object ?? [:]).filter { $0.key != "name" }) }
  }
}

/// The latest failures of plays by their faults, and for each find the one it was found with.
struct LatestFailures<Failure> {
  /// Failures hold the stories of pushes, and a long hunt has thousands.
  static var most: Int { 200 }

  /// Oldest first.
  private var latest: [(faults: FaultKey, failure: Failure)] = []
  /// By the numbers of the finds.
  private var found: [Int: Failure] = [:]

  mutating func add(_ failure: Failure, with faults: JSON) {
    let key = FaultKey(faults)
    latest.removeAll { $0.faults == key }
    latest.append((key, failure))
    if latest.count > Self.most { latest.removeFirst() }
  }

  /// Keeps the failure of a new find.
  mutating func keep(_ find: JSON) {
    guard let number = find["number"].int, let failure = self[find] else { return }
    found[number] = failure
  }

  /// The failure of a find; nil if it is not known any more.
  subscript(find: JSON) -> Failure? {
    let key = FaultKey(find["faults"])
    return find["number"].int.flatMap { found[$0] } ?? latest.last { $0.faults == key }?.failure
  }
}
