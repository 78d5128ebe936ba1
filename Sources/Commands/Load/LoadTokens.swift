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

  init(_ order: LoadOrder, event: String?, _ server: RunningServer) throws {
    if let file = order.tokens {
      tokens = try Self.read(file, most: order.devices ?? .max)
      topic = order.topic ?? (order.app ?? "com.example.app") + ProviderPush.suffix(of: order.pushType)
    } else {
      let kind = order.pushType != "liveactivity" ? "device" : event == "start" ? "pushToStart" : "update"
      let environment = order.isProduction ? "production" : "sandbox"
      var query = [(name: "kind", value: kind), ("environment", environment), ("live", "true")]
      if let app = order.app { query.append(("app", app)) }
      let first = try Self.page(query + [("limit", "1")], server).rows.first
      guard let first, let app = first["app"]?.string, let topic = first["topic"]?.string else {
        let what = kind == "update" ? "a running Live Activity" : "a token of kind \(kind)"
        throw CommandFailure("\(server.admin) has no device with \(what)\(order.app.map { " of \($0)" } ?? "").")
      }
      if order.app == nil { query.append(("app", app)) }
      self.topic = order.topic ?? topic
      tokens = try Self.fetch(query, most: order.mostTokens, server)
    }
  }

  private typealias Query = [(name: String, value: String)]

  private static func fetch(_ query: Query, most: Int, _ server: RunningServer) throws -> [String] {
    var tokens: [String] = []
    var cursor: String? = ""
    while let place = cursor, tokens.count < most {
      let limit = min(pageSize, most - tokens.count)
      let part = try page(query + [("limit", "\(limit)")] + (place.isEmpty ? [] : [("cursor", place)]), server)
      tokens += part.rows.compactMap { $0["token"]?.string }
      cursor = part.next
    }
    return tokens
  }

  private static func page(_ query: Query, _ server: RunningServer) throws -> (rows: [JSONValue], next: String?) {
    var order = AdminAPI.Order("v1", "tokens")
    order.query = query
    let value = try server.api.perform(order).value
    return (value["tokens"]?.elements ?? [], value["next"]?.string)
  }

  /// One token a line; empty lines and those that begin with # are left out.
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
