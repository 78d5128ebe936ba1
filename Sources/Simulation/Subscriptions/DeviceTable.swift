import APNs

/// Values by device, in pages. A dictionary of a million would be hashed anew in one go.
struct DeviceTable<Value: Sendable>: Sendable {
  private static var pageSize: Int { 256 }

  /// A page without values is an empty array.
  private var pages: [[Value?]] = []

  init() {}

  subscript(device: DeviceID) -> Value? {
    get {
      let (page, index) = Self.place(device)
      return page < pages.count && !pages[page].isEmpty ? pages[page][index] : nil
    }
    _modify {
      let (page, index) = Self.place(device)
      if page >= pages.count { pages += repeatElement([], count: page + 1 - pages.count) }
      if pages[page].isEmpty { pages[page] = [Value?](repeating: nil, count: Self.pageSize) }
      defer { if pages[page].allSatisfy({ $0 == nil }) { pages[page] = [] } }
      yield &pages[page][index]
    }
  }

  /// All values, in the order of their devices.
  var all: [(device: DeviceID, value: Value)] {
    pages.indices.flatMap { page in
      pages[page].indices.compactMap { index in
        pages[page][index].map { (DeviceID(UInt32(page * Self.pageSize + index)), $0) }
      }
    }
  }

  private static func place(_ device: DeviceID) -> (page: Int, index: Int) {
    (Int(device.number) / pageSize, Int(device.number) % pageSize)
  }
}
