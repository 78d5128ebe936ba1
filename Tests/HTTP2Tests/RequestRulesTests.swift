import CNghttp2
import TestSupport
import Testing
import WireFormats

@testable import HTTP2

@Suite("Invalid requests are reset, as by nghttp2") struct RequestRulesTests {
  private static let host = (":authority", "localhost")

  /// The fields of a request that a session of nghttp2 hands out by its own rules; nil if the request is reset.
  private final class Judge {
    var fields: [[UInt8]] = []
    var ended = false
    private var session: OpaquePointer?

    init() {
      var callbacks: OpaquePointer?
      var option: OpaquePointer?
      nghttp2_session_callbacks_new(&callbacks)
      nghttp2_option_new(&option)
      nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(option, 1)
      nghttp2_session_callbacks_set_on_header_callback(callbacks) { _, frame, name, nameCount, value, count, _, me in
        guard let me, let frame, frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else { return 0 }
        let judge = Unmanaged<Judge>.fromOpaque(me).takeUnretainedValue()
        judge.fields.append(Array(UnsafeBufferPointer(start: name, count: nameCount)))
        judge.fields.append(Array(UnsafeBufferPointer(start: value, count: count)))
        return 0
      }
      nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, me in
        guard let me, let frame, frame.pointee.hd.flags & 1 != 0, frame.pointee.hd.type <= 1 else { return 0 }
        Unmanaged<Judge>.fromOpaque(me).takeUnretainedValue().ended = true
        return 0
      }
      nghttp2_session_server_new2(&session, callbacks, Unmanaged.passUnretained(self).toOpaque(), option)
      nghttp2_session_callbacks_del(callbacks)
      nghttp2_option_del(option)
    }

    deinit { nghttp2_session_del(session) }

    func judge(_ bytes: [UInt8]) -> [[UInt8]]? {
      nghttp2_session_mem_recv(session, bytes, bytes.count)
      return ended ? fields : nil
    }
  }

  private func ours(_ bytes: [UInt8]) -> [[UInt8]]? {
    let server = Server()
    server.receive(bytes)
    guard let request = server.requests.first?.request else { return nil }
    let packed = request.fields.packed
    var cursor = HTTPFieldCursor()
    var fields: [[UInt8]] = []
    while let field = cursor.next(in: packed.span, end: packed.count) {
      fields.append(Array(packed[field.name]))
      fields.append(Array(packed[field.value]))
    }
    return fields
  }

  private static let names = [
    ":method", ":scheme", ":path", ":authority", "host", "content-length", "te", "connection", "upgrade", "keep-alive",
    "proxy-connection", "transfer-encoding", ":protocol", ":status", "apns-topic", "Apns-Topic", "bad name", "", ":",
  ]
  private static let values = [
    "POST", "HEAD", "CONNECT", "OPTIONS", "https", "HTTP", "ftp", "1http", "/3/device/00", "*", "x", "localhost",
    "local host", "2", "3", "-1", "99999999999999999999", "trailers", "Trailers", "gzip", "", " ", " x ", "a\u{1}b",
    "é",
  ]

  /// A request that is sound or nearly so.
  private func request(_ dice: inout Dice) -> [UInt8] {
    var fields: [(String, String)] = .post
    for _ in 0..<dice.below(4) {
      let field = (Self.names[dice.below(Self.names.count)], Self.values[dice.below(Self.values.count)])
      switch dice.below(4) {
      case 0: fields.insert(field, at: dice.below(fields.count + 1))
      case 1: fields.append(field)
      case 2: fields[dice.below(fields.count)].1 = field.1
      default: fields.remove(at: dice.below(fields.count))
      }
      if fields.isEmpty { fields = .post }
    }
    var bytes = Frame.preface + Frame.settings().bytes
    let ends = dice.oneIn(3)
    bytes += Frame.headers(1, fields, ends: ends).bytes
    guard !ends else { return bytes }
    let hasTrailers = dice.oneIn(3)
    bytes += Frame.data(1, String("abc".prefix(dice.below(4))), ends: !hasTrailers).bytes
    if hasTrailers {
      let name = Self.names[dice.below(Self.names.count)]
      bytes += Frame.headers(1, [(name, "x")], ends: !dice.oneIn(4)).bytes
    }
    return bytes
  }

  @Test("The same random requests are accepted, with the same fields, as by nghttp2's own rules; only paths differ")
  func same() {
    let seed = UInt64.random(in: 0..<1_000_000_000)
    print("Request rules: seed \(seed)")
    var dice = Dice(seed: seed)
    var (taken, reset) = (0, 0)
    for _ in 0..<4000 {
      let bytes = request(&dice)
      let (expected, found) = (Judge().judge(bytes), ours(bytes))
      if expected == nil { reset += 1 } else { taken += 1 }
      if found == expected { continue }
      let oddPath = found.map { $0.firstIndex(of: Array(":path".utf8)).map { $0 + 1 } } ?? nil
      let path = oddPath.flatMap { index in found?[index] } ?? []
      #expect(
        expected == nil && path.contains { $0 <= 0x20 || $0 >= 0x7F },
        "seed \(seed): \(String(decoding: bytes, as: UTF8.self).debugDescription) gave \(String(describing: found))")
    }
    #expect(taken > 500 && reset > 500)
  }

  @Test(
    "A path with spaces, angle brackets and other characters arrives unchanged",
    arguments: [
      "/3/device/<c63963fd fdafa1b9>", "/3/device/\u{e9}", "/3/device/a\tb", "/3/device/ ",
    ])
  func paths(path: String) throws {
    let server = Server.greeted()
    server.receive(
      .headers(1, [(":method", "POST"), (":scheme", "https"), (":path", path), Self.host], ends: true))
    #expect(server.requests.first?.request.fields[":path"] == path)
    #expect(server.frames().isEmpty)
  }

  @Test("Each malformed stream is reset; the reason of the first, tenth and hundredth is reported") func told() {
    let server = Server.greeted { $0.announcedStreams = 1000 }
    for index in 0..<150 {
      server.receive(.headers(Int32(2 * index + 1), .post + [("connection", "close")], ends: true))
    }
    let told = server.session.takeUnserved()
    #expect(told.map(\.stream) == [1, 19, 199])
    #expect(told.first?.why == .malformed("a connection-specific field, which is not valid in HTTP/2", count: 1))
    #expect(server.frames().filter { $0.kind == .rstStream && $0.payload == [0, 0, 0, 1] }.count == 150)
    #expect(server.requests.isEmpty)
    #expect(server.session.openStreamCount == 0)
  }

  @Test("A body longer or shorter than content-length is reset", arguments: ["1", "3"]) func length(count: String) {
    let server = Server.greeted()
    server.receive(.headers(1, .post + [("content-length", count)], ends: false), .data(1, "{}"))
    #expect(server.requests.isEmpty)
    #expect(server.frames().contains(.reset(1, 1)))
  }

  @Test("An invalid character in a value is found at every position, and no valid one is mistaken for it")
  func everyCharacterEverywhere() {
    var wrong: [String] = []
    for count in 1...35 {
      for place in 0..<count {
        for byte in UInt8.min...UInt8.max {
          var value = [UInt8](repeating: UInt8(ascii: "a"), count: count)
          value[place] = byte
          let isSound = byte == UInt8(ascii: "\t") || (byte >= 0x20 && byte != 0x7F)
          let found = value.withUnsafeBufferPointer { RequestRules.isValue($0) }
          if found != isSound { wrong.append("\(byte) at \(place) of \(count)") }
        }
      }
    }
    #expect(wrong.first == nil)
  }

  @Test("field names are checked as nghttp2 checks them, whatever their length")
  func names() {
    var wrong: [String] = []
    for count in 1...26 {
      for place in 0..<count {
        for byte in UInt8.min...UInt8.max {
          var name = [UInt8](repeating: UInt8(ascii: place % 2 == 0 ? "a" : "z"), count: count)
          name[0] = UInt8(ascii: "-")
          name[place] = byte
          let (found, expected) = name.withUnsafeBufferPointer {
            (RequestRules.isName($0), nghttp2_check_header_name($0.baseAddress, $0.count) != 0)
          }
          if found != expected { wrong.append("\(byte) at \(place) of \(count)") }
        }
      }
    }
    #expect(wrong.first == nil)
  }
}
