/// The numbers by which an expectation is judged. Those of a fleet's cells can be merged.
package struct Figures: Hashable, Sendable {
  /// Things that every cell does, because each plays the same steps: the same request about a channel, or a connection
  /// of the scenario's own provider. Merged, they count once.
  struct Alike: Hashable, Sendable {
    /// The number of the step or of the connection, which is the same in each cell.
    let key: UInt64
    var meant = 0
    var met = 0
  }

  /// The number selected by the filter: of pushes, events, screens or delays.
  var meant = 0
  /// The number of those selected that satisfy the condition.
  var met = 0
  /// The share of both numbers that every cell has alike, in the order of the keys.
  var alike: [Alike] = []
  /// True if any ever satisfied the condition, whatever its later fate.
  var isSeen = false
  /// The number of the ordered names that have occurred.
  var reached = 0
  /// Delays that are too long already and have not ended.
  var overdue = 0

  init(meant: Int = 0, met: Int = 0, isSeen: Bool? = nil) {
    self.meant = meant
    self.met = met
    self.isSeen = isSeen ?? (met > 0)
  }

  /// Counts something that every cell does.
  mutating func addAlike(_ key: UInt64, isMet: Bool) {
    let place = alike.firstIndex { $0.key >= key } ?? alike.count
    if place == alike.count || alike[place].key != key { alike.insert(Alike(key: key), at: place) }
    alike[place].meant += 1
    if isMet { alike[place].met += 1 }
  }

  /// The numbers of the whole fleet. The cells own different devices, so what happened to devices is added up.
  package static func merged(_ parts: [Figures]) -> Figures {
    var whole = Figures()
    var shared: [UInt64: (met: Int, unmet: Int)] = [:]
    for part in parts {
      whole.meant += part.meant - part.alike.reduce(0) { $0 + $1.meant }
      whole.met += part.met - part.alike.reduce(0) { $0 + $1.met }
      whole.isSeen = whole.isSeen || part.isSeen
      // An expectation about an order concerns the devices of one cell only.
      whole.reached = max(whole.reached, part.reached)
      whole.overdue += part.overdue
      for alike in part.alike {
        let known = shared[alike.key] ?? (0, 0)
        shared[alike.key] = (max(known.met, alike.met), max(known.unmet, alike.meant - alike.met))
      }
    }
    whole.alike = shared.sorted { $0.key < $1.key }.map { key, count in
      Alike(key: key, meant: count.met + count.unmet, met: count.met)
    }
    whole.meant += whole.alike.reduce(0) { $0 + $1.meant }
    whole.met += whole.alike.reduce(0) { $0 + $1.met }
    return whole
  }
}
