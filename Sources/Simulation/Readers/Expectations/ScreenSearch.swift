import APNs
import Devices
import Timeline

/// Compares the screens of a selection of phones with a pattern, in portions.
struct ScreenSearch: Sendable {
  private var devices: DeviceCursor
  private let shape: ScreenPattern
  fileprivate let claim: ScreenRequirement
  fileprivate private(set) var met = 0
  fileprivate private(set) var meant = 0
  fileprivate private(set) var nearest: (device: DeviceID, differences: [String])?
  /// The first phone whose screen shows the pattern.
  fileprivate private(set) var first: DeviceID?
  fileprivate var wanted: String { shape.words }

  init(_ selection: Selection, shape: ScreenPattern, claim: ScreenRequirement) {
    devices = DeviceCursor(selection)
    self.shape = shape
    self.claim = claim
  }

  /// - Returns: whether all were compared.
  mutating func look(_ evaluator: Evaluator, _ work: inout Int) -> Bool {
    while work > 0 {
      let most = min(Selection.mostChanged, work / ExpectationSearch.screen)
      guard let page = devices.next(in: evaluator.world, most: most, &work) else { return true }
      work -= ExpectationSearch.screen * page.count
      for device in page { look(at: device, evaluator) }
    }
    return false
  }

  private mutating func look(at device: DeviceID, _ evaluator: Evaluator) {
    meant += 1
    let differences = shape.differences(evaluator.world.screen(of: device, at: evaluator.now))
    if differences.isEmpty {
      met += 1
      if first == nil { first = device }
    } else if nearest.map({ differences.count < $0.differences.count }) ?? true {
      nearest = (device, differences)
    }
  }
}

extension Evaluator {
  func result(of search: ScreenSearch) -> ExpectationSearch.Step {
    let figures = Figures(meant: search.meant, met: search.met)
    var verdict: Verdict
    switch search.claim {
    case .all:
      verdict = self.verdict(
        Requirement(kind: .all, nothing: "no such device, so nothing was tested"), figures)
      verdict.wanted = "all screens to show \(search.wanted)"
    case .count(let range):
      verdict = self.verdict(Requirement(kind: .metCount, range: range), figures)
      verdict.wanted = "\(range.counting("screen")) to show \(search.wanted)"
    }
    guard !verdict.passed else { return .done(verdict) }
    if let nearest = search.nearest {
      verdict.nearest = "\(nearest.device.text): \(nearest.differences.joined(separator: ", "))"
    } else if let first = search.first {
      verdict.nearest = "\(first.text) shows it"
    }
    return listing(search.nearest?.device ?? search.first, in: verdict, tellsFate: search.nearest != nil)
  }
}
