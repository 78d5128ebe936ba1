/// Reads text/event-stream (HTML standard, section 9.2.6): bytes in, messages out.
package struct EventStreamReader: Sendable {
  package struct Message: Hashable, Sendable {
    package var event = "message"
    package var id: String?
    package var data = ""
  }

  /// The id of the last event, which is repeated to continue after it.
  package private(set) var lastID: String?
  private var line: [UInt8] = []
  private var message = Message()
  private var hasData = false

  package init() {}

  package mutating func read(_ bytes: some Sequence<UInt8>) -> [Message] {
    var messages: [Message] = []
    for byte in bytes {
      guard byte == UInt8(ascii: "\n") else {
        line.append(byte)
        continue
      }
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      if let message = take(String(decoding: line, as: UTF8.self)) { messages.append(message) }
      line.removeAll(keepingCapacity: true)
    }
    return messages
  }

  /// An empty line ends a message.
  private mutating func take(_ line: String) -> Message? {
    guard !line.isEmpty else {
      defer {
        message = Message()
        hasData = false
      }
      return hasData ? message : nil
    }
    let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    var value = halves.count > 1 ? halves[1] : ""
    if value.first == " " { value = value.dropFirst() }
    switch halves[0] {
    case "event": message.event = String(value)
    case "id":
      message.id = String(value)
      lastID = message.id
    case "data":
      message.data += (hasData ? "\n" : "") + value
      hasData = true
    default: break
    }
    return nil
  }
}
