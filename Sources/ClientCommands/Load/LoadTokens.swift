import APNs
import Grammar
import Pushpit
import Transport
import WireFormats

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The tokens that a load run pushes to.
struct LoadTokens: Sendable {
  let tokens: [String]
  let topic: String

  private static let pageSize = 1000
  private static let mostLineBytes = 1024
  /// Looks for tokens of new activities, with a pause in microseconds after each; they end when nothing has changed.
  private static let mostLooks = 20
  private static let enoughLooks = 2
  private static let pause: UInt32 = 500_000

  init(_ order: LoadOrder, payload: LoadPayload, server: RunningServer) throws {
    if let file = order.tokens {
      tokens = try Self.read(file, most: order.devices ?? .max)
      topic = order.topic ?? (order.app ?? "com.example.app") + ProviderPush.suffix(of: order.kind.pushType)
      return
    }
    let kind = order.kind != .liveActivity ? "device" : payload.event == "start" ? "pushToStart" : "update"
    var query = Self.query(kind, order)
    var first = try Self.page(query + [("limit", "1")], server).rows.first
    if first == nil, kind == "update" {
      let count = try LoadPhones(order, server).startActivities(payload.contentState)
      first = try Self.awaitTokens(query, count: count, server: server)
    }
    guard let first, let app = first["app"]?.string, let topic = first["topic"]?.string else {
      let what = kind == "update" ? "a running Live Activity" : "a token of kind \(kind)"
      throw CommandFailure("\(server.admin) has no device with \(what)\(order.app.map { " of \($0)" } ?? "").")
    }
    if order.app == nil { query.append(("app", app)) }
    self.topic = order.topic ?? topic
    tokens = try Self.fetch(query, most: order.mostTokens, server).compactMap { $0["token"]?.string }
  }

  /// Waits for the tokens of activities that were just started, as a backend does: phones get them a little later, and
  /// some of them never.
  ///
  /// - Returns: the first token.
  private static func awaitTokens(_ query: Query, count: Int, server: RunningServer) throws -> JSONValue {
    var (first, found, unchanged) = (nil as JSONValue?, 0, 0)
    for _ in 0..<mostLooks {
      let rows = try fetch(query, most: count, server)
      unchanged = rows.count == found ? unchanged + 1 : 0
      (first, found) = (rows.first, rows.count)
      if found == count || found > 0 && unchanged == enoughLooks { break }
      // Tokens are listed on request, and no event tells that all of them are there.
      usleep(pause)
    }
    guard let first else {
      throw CommandFailure(
        "\(server.admin) has started \(LoadWords.grouped(count)) Live Activities, but no token of them came within"
          + " 10 s: does its clock stand still (`pushpit clock`)?")
    }
    return first
  }

  /// Devices with the app, as many as the order has tokens.
  static func devices(_ order: LoadOrder, app: String, _ server: RunningServer) throws -> [String] {
    var order = order
    order.app = app
    return try fetch(query("device", order), most: order.mostTokens, server).compactMap { $0["device"]?.string }
  }

  /// Any device token of the server's own devices.
  static func one(_ order: LoadOrder, _ server: RunningServer) throws -> String? {
    try page(query("device", order) + [("limit", "1")], server).rows.first?["token"]?.string
  }

  private typealias Query = [(name: String, value: String)]

  private static func query(_ kind: String, _ order: LoadOrder) -> Query {
    [("kind", kind), ("environment", order.isProduction ? "production" : "sandbox"), ("live", "true")]
      + (order.app.map { [("app", $0)] } ?? [])
  }

  private static func fetch(_ query: Query, most: Int, _ server: RunningServer) throws -> [JSONValue] {
    var rows: [JSONValue] = []
    var cursor: String? = ""
    while let place = cursor, rows.count < most {
      let limit = min(pageSize, most - rows.count)
      let part = try page(query + [("limit", "\(limit)")] + (place.isEmpty ? [] : [("cursor", place)]), server)
      rows += part.rows
      cursor = part.next
    }
    return rows
  }

  private static func page(_ query: Query, _ server: RunningServer) throws -> (rows: [JSONValue], next: String?) {
    var order = AdminAPI.Order("v1", "tokens")
    order.query = query
    let value = try server.api.perform(order).value
    return (value["tokens"]?.elements ?? [], value["next"]?.string)
  }

  /// Reads a file with a token on each line, without empty lines and lines that begin with #.
  static func read(_ path: String, most: Int) throws -> [String] {
    guard let file = path == "-" ? fdopen(STDIN_FILENO, "r") : fopen(path, "r") else {
      throw InputProblem("--tokens: \(path) cannot be read: \(String(cString: strerror(errno))).")
    }
    defer { fclose(file) }
    var tokens: [String] = []
    var line = [CChar](repeating: 0, count: mostLineBytes)
    var number = 0
    while tokens.count < most, fgets(&line, Int32(line.count), file) != nil {
      number += 1
      let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      let text = bytes.filter { $0 > 0x20 }
      if text.isEmpty || text[0] == UInt8(ascii: "#") { continue }
      guard text.count.isMultiple(of: 2), text.allSatisfy({ UnicodeScalar($0).properties.isASCIIHexDigit }) else {
        throw InputProblem("\(path), line \(number)", "is not a token in hexadecimal digits.")
      }
      tokens.append(String(decoding: text, as: UTF8.self))
    }
    guard !tokens.isEmpty else { throw InputProblem("--tokens: \(path) has no token.") }
    return tokens
  }
}
