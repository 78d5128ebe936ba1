/// The subscriptions of a channel, in order.
///
/// They are in chunks, so that none of a million is moved far when one is added or ends, and numbered, so that a
/// broadcast in progress goes on by number whatever has happened to the list.
struct SubscriberList: Sendable {
  struct Entry: Hashable, Sendable {
    /// Unique in the world, and greater than that of any subscription before.
    let number: UInt64
    let subscriber: Subscriptions.Subscriber
  }

  private static let chunkSize = 256

  /// Each chunk has at least one entry.
  private var chunks: [[Entry]] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }
  var all: [Entry] { chunks.flatMap(\.self) }

  /// - Precondition: the number of the entry is greater than all others.
  mutating func append(_ entry: Entry) {
    count += 1
    if let last = chunks.indices.last, chunks[last].count < Self.chunkSize {
      chunks[last].append(entry)
    } else {
      chunks.append([entry])
    }
  }

  mutating func remove(_ number: UInt64) {
    guard let place = chunk(from: number) else { return }
    let index = Self.index(from: number, in: chunks[place])
    guard chunks[place][index].number == number else { return }
    count -= 1
    chunks[place].remove(at: index)
    if chunks[place].isEmpty {
      chunks.remove(at: place)
    } else if place + 1 < chunks.count, chunks[place].count + chunks[place + 1].count <= Self.chunkSize / 2 {
      chunks[place] += chunks.remove(at: place + 1)
    }
  }

  func contains(_ entry: Entry) -> Bool { page(from: entry.number, before: .max, most: 1).first == entry }

  /// Subscriptions with numbers from `start` on and below `end`.
  func page(from start: UInt64, before end: UInt64, most: Int) -> [Entry] {
    var found: [Entry] = []
    guard var place = chunk(from: start) else { return found }
    var index = Self.index(from: start, in: chunks[place])
    while found.count < most, chunks[place][index].number < end {
      found.append(chunks[place][index])
      index += 1
      guard index == chunks[place].count else { continue }
      (place, index) = (place + 1, 0)
      guard place < chunks.count else { break }
    }
    return found
  }

  /// The first chunk with a number that is not below the given one.
  private func chunk(from number: UInt64) -> Int? {
    var (low, high) = (0, chunks.count)
    while low < high {
      let middle = (low + high) / 2
      if chunks[middle][chunks[middle].count - 1].number < number { low = middle + 1 } else { high = middle }
    }
    return low < chunks.count ? low : nil
  }

  private static func index(from number: UInt64, in chunk: [Entry]) -> Int {
    var (low, high) = (0, chunk.count)
    while low < high {
      let middle = (low + high) / 2
      if chunk[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
