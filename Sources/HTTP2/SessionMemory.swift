import CNghttp2

/// The memory of nghttp2: blocks are kept for reuse instead of being freed. All sessions of a thread share one.
///
/// nghttp2 allocates and frees six small blocks for each request, which with `malloc` cost more than our own code for
/// HTTP/2. Every block begins with a header that says its size; `nghttp2_mem` passes no size when it frees.
final class SessionMemory {
  /// Sizes are multiples of this.
  private static let step = 32
  /// Larger blocks are rare and not kept.
  private static let largest = 1024
  /// Keeps blocks aligned as `malloc` does.
  private static let header = 16
  /// Bytes of free blocks that are kept.
  private static let most = 1 << 20

  /// For each size, the first free block; each free block begins with the address of the next.
  private let free: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  private(set) var kept = 0

  init() {
    free = .allocate(capacity: Self.largest / Self.step + 1)
    free.initialize(repeating: nil, count: Self.largest / Self.step + 1)
  }

  deinit {
    for number in 0...Self.largest / Self.step {
      while let block = free[number] {
        free[number] = block.load(as: UnsafeMutableRawPointer?.self)
        Self.deallocate(block)
      }
    }
    free.deallocate()
  }

  /// For `nghttp2_session_server_new3`; this object must outlive the session.
  var functions: nghttp2_mem {
    nghttp2_mem(
      mem_user_data: Unmanaged.passUnretained(self).toOpaque(), malloc: Self.allocate, free: Self.free,
      calloc: Self.allocateCleared, realloc: Self.reallocate)
  }

  func allocate(_ count: Int) -> UnsafeMutableRawPointer {
    let number = (max(count, 1) &+ Self.step &- 1) / Self.step
    if count <= Self.largest, let block = free[number] {
      free[number] = block.load(as: UnsafeMutableRawPointer?.self)
      kept -= number * Self.step
      return block
    }
    let size = number * Self.step
    let start = UnsafeMutableRawPointer.allocate(byteCount: Self.header + size, alignment: Self.header)
    start.storeBytes(of: size, as: Int.self)
    return start + Self.header
  }

  func release(_ block: UnsafeMutableRawPointer) {
    let size = Self.size(of: block)
    guard size <= Self.largest, kept + size <= Self.most else { return Self.deallocate(block) }
    block.storeBytes(of: free[size / Self.step], as: UnsafeMutableRawPointer?.self)
    free[size / Self.step] = block
    kept += size
  }

  func reallocate(_ old: UnsafeMutableRawPointer?, _ count: Int) -> UnsafeMutableRawPointer {
    guard let old else { return allocate(count) }
    let size = Self.size(of: old)
    guard count > size else { return old }
    let block = allocate(count)
    block.copyMemory(from: old, byteCount: size)
    release(old)
    return block
  }

  /// Bytes that a block has room for.
  static func size(of block: UnsafeMutableRawPointer) -> Int { (block - header).load(as: Int.self) }

  private static func deallocate(_ block: UnsafeMutableRawPointer) { (block - header).deallocate() }

  // MARK: What nghttp2 calls

  private static let allocate: nghttp2_malloc = { count, context in
    context.map { context in
      Unmanaged<SessionMemory>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.allocate(count) }
    }
  }

  private static let free: nghttp2_free = { block, context in
    guard let block, let context else { return }
    Unmanaged<SessionMemory>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.release(block) }
  }

  private static let allocateCleared: nghttp2_calloc = { count, size, context in
    let (bytes, isTooLarge) = count.multipliedReportingOverflow(by: size)
    guard let context, !isTooLarge else { return nil }
    return Unmanaged<SessionMemory>.fromOpaque(context)._withUnsafeGuaranteedRef { memory in
      let block = memory.allocate(bytes)
      block.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
      return block
    }
  }

  private static let reallocate: nghttp2_realloc = { block, count, context in
    context.map { context in
      Unmanaged<SessionMemory>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.reallocate(block, count) }
    }
  }
}
